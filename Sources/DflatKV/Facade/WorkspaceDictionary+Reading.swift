import DflatCore
import DflatSQLite

extension WorkspaceDictionary {
  /// Returns the value of a key as a type; nil if there is none. A failed read is never cached as an absence. Blocks
  /// the calling thread until the value is loaded, unless it is in the cache.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.typeMismatch` if the value is of another type, or a number
  ///   that `T` can't represent exactly; `.undecodable` if its bytes can't be decoded as `T`, for example because they
  ///   lack a field; or another code that ``WorkspaceDictionary`` lists; where `T` is also a FlatBuffers type,
  ///   `.schemaVersionMismatch` and `.unencodable`, too, as the overload for these types does. Each names the key.
  @_disfavoredOverload
  public func value<T: DictionaryCodable>(forKey key: String, as type: T.Type) throws -> T? {
    try value(forKey: key, by: CodableCoding<T>.self)
  }

  /// Returns the value of a key with its stored type; nil if there is none. Blocks the calling thread until the value
  /// is loaded, unless it is in the cache.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if this version doesn't know the stored type,
  ///   `.unencodable` if the value of a queued plain write can't be encoded, or another code that
  ///   ``WorkspaceDictionary`` lists.
  public func storedValue(forKey key: String) throws -> StoredValue? {
    try explaining(key) { try read(hashed(key)).encoded().stored }
  }

  /// Returns the commit that wrote the key's value; nil if the file has none. Blocks the calling thread until the file
  /// is read.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if this version doesn't know the stored type, or
  ///   another code that ``WorkspaceDictionary`` lists.
  public func commitNumber(forKey key: String) throws -> UInt64? {
    store.recordedReads?.note(hashed(key))
    return try explaining(key) {
      let row = try store.withConnection { try DictionaryTable.load(key, in: namespaceName, on: $0) } ?? nil
      let now = try store.readingTime()
      guard let row, !row.value.visible(at: now).isAbsent else { return nil }
      return row.commitNumber
    }
  }

  /// Returns true if the key has a value of any type. A read that fails is reported, and returns false. Blocks the
  /// calling thread until the value is loaded, unless it is in the cache.
  public func contains(_ key: String) -> Bool {
    let hashed = hashed(key)
    do { return try !store.read(hashed).isAbsent } catch {
      store.reportRead(error, hashed)
      return false
    }
  }

  /// Returns true if the key has a value, also one that can't be read: of a type that only a newer version knows,
  /// damaged, or sealed with another key. Blocks the calling thread until the file is read.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists, if the file can't be read.
  package func hasKey(_ key: String) throws -> Bool {
    do { return try store.hasValue(hashed(key)) } catch {
      throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading")
    }
  }

  /// The number of keys. Reads all of them, as ``keys`` does, and blocks the calling thread until they are read.
  public var count: Int { keys.count }

  /// The keys, sorted by their UTF-8 bytes. Reads all of them, from one state: that of a commit with the queued plain
  /// writes. A read that fails is reported, and returns no keys. Blocks the calling thread until the keys are read.
  public var keys: [String] { keys(withPrefix: "") }

  /// Returns the keys that begin with a prefix, sorted by their UTF-8 bytes. Reads them as ``keys`` does, and blocks
  /// the calling thread until they are read.
  public func keys(withPrefix prefix: String) -> [String] {
    do { return try readKeys(withPrefix: prefix) } catch {
      store.reportRead(error, hashed(prefix))
      return []
    }
  }

  /// Returns keys as ``keys(withPrefix:)`` does, and throws the error of a read that fails. Unlike
  /// ``entries(withPrefix:limit:)``, it doesn't need values that this version can read.
  package func readKeys(withPrefix prefix: String) throws -> [String] {
    do { return try store.entries(of: PrefixRange(namespace: namespace, prefix: prefix)).map(\.key) } catch {
      throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading")
    }
  }

  /// Returns the entries whose keys begin with a prefix, sorted by the keys' UTF-8 bytes; only the first `limit` of
  /// them. All come from one state, as those of ``keys`` do. Blocks the calling thread until the entries are read.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if this version doesn't know a stored type,
  ///   `.unencodable` if the value of a queued plain write can't be encoded, or another code that
  ///   ``WorkspaceDictionary`` lists.
  public func entries(withPrefix prefix: String = "", limit: Int? = nil) throws -> [DictionaryEntry] {
    do {
      let entries = try store.entriesWithValues(
        of: PrefixRange(namespace: namespace, prefix: prefix), limit: limit)
      guard let seal else { return entries }
      return try entries.map { entry in try explaining(entry.key) { try entry.opened(by: seal) } }
    } catch { throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading") }
  }

  /// Returns the sorted names of the namespaces that hold keys in the file; "" is the root. Blocks the calling thread
  /// until the file is read.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with a code that ``WorkspaceDictionary`` lists.
  public func namespaces() throws -> [String] {
    store.recordedReads?.noteNamespaces()
    return try store.withConnection { try store.namespaces(on: $0) } ?? []
  }

  /// Runs `body`, which reads a key. Adds the key to the error that it throws, and marks the key if its value can't be
  /// read.
  func explaining<T>(_ key: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      store.noteUnreadable(error, hashed(key))
      throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading")
        .about(key: key, namespace: namespaceName, path: store.core.path)
    }
  }
}
