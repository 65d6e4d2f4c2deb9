import DflatCore
import DflatSQLite

/// A key with its value and the commit that wrote it.
public struct DictionaryEntry: Sendable {
  /// The key.
  public let key: String
  /// Its value.
  public let value: StoredValue
  /// The commit that wrote it; nil while it is not committed.
  public let commitNumber: UInt64?
}

extension DictionaryEntry: Hashable {
  /// Equality of the keys' UTF-8 bytes, the values and the commits.
  public static func == (a: DictionaryEntry, b: DictionaryEntry) -> Bool {
    a.key.hasSameBytes(as: b.key) && a.value == b.value && a.commitNumber == b.commitNumber
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ByteText(key))
    hasher.combine(value)
    hasher.combine(commitNumber)
  }
}

extension WorkspaceDictionary {
  /// The value of a key as a type; nil when there is none.
  ///
  /// - Throws: ``WorkspaceError``: `.typeMismatch` when a value of another type is stored, `.undecodable` when its bytes make
  ///   no sense as `T`, both naming the key; errors of reading the file. A failure is never cached as an absence.
  @_disfavoredOverload
  public func value<T: DictionaryCodable>(forKey key: String, as type: T.Type) throws -> T? {
    try value(forKey: key, by: CodableCoding<T>.self)
  }

  /// The value of a key with its stored type; nil when there is none.
  public func storedValue(forKey key: String) throws -> StoredValue? {
    try explaining(key) { try store.read(hashed(key)).encoded().stored }
  }

  /// The commit that wrote the key's value; nil when there is none in the file.
  public func commitNumber(forKey key: String) throws -> UInt64? {
    try explaining(key) {
      try store.withConnection { try DictionaryTable.load(key, in: namespaceName, on: $0)?.commitNumber } ?? nil
    }
  }

  /// True when the key has a value, of whatever type.
  public func contains(_ key: String) -> Bool {
    let hashed = hashed(key)
    do { return try !store.read(hashed).isAbsent } catch {
      store.reportRead(error, hashed)
      return false
    }
  }

  /// The number of keys. Reads all of them, as ``keys`` does.
  public var count: Int { keys.count }

  /// The keys, sorted by their UTF-8 bytes. Reads all of them, from one state: that of a commit, with the plain writes on it
  /// that are queued.
  public var keys: [String] { keys(withPrefix: "") }

  /// The keys that begin with a prefix, sorted by their UTF-8 bytes.
  public func keys(withPrefix prefix: String) -> [String] {
    do { return try store.entries(of: Clear(namespace: namespace, prefix: prefix)).map(\.key) } catch {
      store.reportRead(error, hashed(prefix))
      return []
    }
  }

  /// The keys that begin with a prefix with their values, sorted by their UTF-8 bytes; the first `limit` of them.
  /// All are of one state, as those of ``keys``.
  public func entries(withPrefix prefix: String = "", limit: Int? = nil) throws -> [DictionaryEntry] {
    do {
      return try store.entriesWithValues(of: Clear(namespace: namespace, prefix: prefix), limit: limit)
    } catch { throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading") }
  }

  /// The names of the namespaces that hold keys in the file, sorted; "" is the root.
  public func namespaces() throws -> [String] {
    try store.withConnection { try DictionaryTable.namespaces(on: $0) } ?? []
  }

  func explaining<T>(_ key: String, _ body: () throws -> T) throws -> T {
    do { return try body() } catch {
      throw WorkspaceError.wrapping(error, path: store.core.path, doing: "Reading")
        .about(key: key, namespace: namespaceName, path: store.core.path)
    }
  }
}
