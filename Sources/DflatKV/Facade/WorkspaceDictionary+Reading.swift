import DflatCore
import DflatSQLite

/// A key with its value and the commit that wrote it.
public struct DictionaryEntry: Sendable, Hashable {
  /// The key.
  public let key: String
  /// Its value.
  public let value: StoredValue
  /// The commit that wrote it; nil while it is not committed.
  public let commitNumber: UInt64?
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

  /// The number of keys. Reads all of them.
  public var count: Int { keys.count }

  /// The keys, sorted by their UTF-8 bytes. Reads all of them.
  public var keys: [String] { keys(withPrefix: "") }

  /// The keys that begin with a prefix, sorted by their UTF-8 bytes.
  public func keys(withPrefix prefix: String) -> [String] {
    do { return try store.entries(of: Clear(namespace: namespace, prefix: prefix)).map(\.key) } catch {
      store.reportRead(error, hashed(prefix))
      return []
    }
  }

  /// The keys that begin with a prefix with their values, sorted by their UTF-8 bytes; the first `limit` of them.
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

extension DictionaryStore {
  /// A connection whose view is what reads on this thread are answered from; nil while there is no file.
  func withConnection<T>(_ body: (Connection) throws -> T) throws -> T? {
    switch ThreadContext.reading(core) {
    case .transaction(let transaction): return try transaction.reading { try transaction.joinedGroup().reading(body) }
    case .snapshot(let snapshot):
      switch snapshot.state {
      case .empty: return nil
      case .failed(let error): throw error
      case .pinned(let reader, _): return try body(reader.connection)
      }
    case .callback, .worker, .encoding, nil:
      guard core.isOpen else { throw core.shutdownError }
      return try core.withView { connection, _ in try body(connection) }
    }
  }

  /// What lies over the file for reads on this thread, oldest first.
  private func overlays() -> [Shard.Overlay] {
    switch ThreadContext.reading(core) {
    case .snapshot: return []
    case .transaction(let transaction): return [transaction.changes(of: self).overlay]
    case .callback, .worker, .encoding, nil:
      return shards.withAll { locked in
        var flushing = Shard.Overlay()
        var pending = Shard.Overlay()
        locked.forEachShard { shard in
          flushing.values.merge(shard.flushing.values) { $1 }
          pending.values.merge(shard.pending.values) { $1 }
          flushing.clears = shard.flushing.clears
          pending.clears = shard.pending.clears
        }
        return [flushing, pending]
      }
    }
  }

  /// The keys of a range without their values. The overlay is taken before the view, so that a write that commits in
  /// between is in both rather than in neither.
  func entries(of range: Clear) throws -> [(key: String, value: CachedValue?)] {
    let overlays = overlays()
    let name = namespaces.name(range.namespace)
    let keys = try withConnection { try DictionaryTable.keys(prefix: range.prefix, in: name, on: $0) } ?? []
    if overlays.allSatisfy(\.isEmpty) { return keys.map { ($0, nil) } }
    var present: [HashedKey: CachedValue?] = [:]
    for key in keys { present[HashedKey(key, namespace: range.namespace)] = .some(nil) }
    for overlay in overlays { present.lay(overlay, within: range) }
    return present.map { ($0.key.string, $0.value) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  func entriesWithValues(of range: Clear, limit: Int?) throws -> [DictionaryEntry] {
    let overlays = overlays()
    let name = namespaces.name(range.namespace)
    let mayStop = overlays.allSatisfy(\.isEmpty)
    var entries: [DictionaryEntry] = []
    try withConnection { connection in
      try DictionaryTable.forEachRow(prefix: range.prefix, in: name, on: connection) { key, row in
        if mayStop, let limit, entries.count >= limit { return false }
        guard let stored = row.value.stored else { return true }
        entries.append(DictionaryEntry(key: key, value: stored, commitNumber: row.commitNumber))
        return true
      }
    }
    if mayStop { return entries }
    var present: [HashedKey: CachedValue?] = [:]
    for overlay in overlays {
      entries.removeAll { overlay.value(of: HashedKey($0.key, namespace: range.namespace)) != nil }
      present.lay(overlay, within: range)
    }
    for (key, value) in present {
      guard let stored = try stored(value, of: key) else { continue }
      entries.append(DictionaryEntry(key: key.string, value: stored, commitNumber: nil))
    }
    entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return limit.map { Array(entries.prefix($0)) } ?? entries
  }

  private func stored(_ value: CachedValue?, of key: HashedKey) throws -> StoredValue? {
    do { return try value?.encoded().stored } catch let error as WorkspaceError {
      throw error.about(key: key.string, namespace: name(of: key), path: core.path)
    }
  }
}

extension [HashedKey: CachedValue?] {
  /// Applies an overlay's removals and writes within a range.
  fileprivate mutating func lay(_ overlay: Shard.Overlay, within range: Clear) {
    for clear in overlay.clears { self = filter { !clear.covers($0.key) } }
    for (key, value) in overlay.values where range.covers(key) {
      if value.isAbsent { self[key] = nil } else { updateValue(value, forKey: key) }
    }
  }
}
