import DflatCore
import DflatSQLite

/// Reads of many keys. They are answered from one state: the overlay is copied at the commit that the file's view shows.
extension DictionaryStore {
  /// A connection whose view is what reads on this thread are answered from; nil while there is no file.
  ///
  /// - Throws: SQLite's errors in the words of this package, and what `body` throws.
  func withConnection<T>(_ body: (Connection) throws -> T) throws -> T? {
    do { return try withBareConnection(body) } catch let error as SQLiteError {
      throw WorkspaceError(error, path: core.path, doing: "Reading")
    }
  }

  private func withBareConnection<T>(_ body: (Connection) throws -> T) throws -> T? {
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

  /// `withConnection`, with what lies over the file for reads on this thread, oldest first.
  private func withOverlays<T>(_ body: (Connection?, [Shard.Overlay]) throws -> T) throws -> T {
    switch ThreadContext.reading(core) {
    case .snapshot: return try withConnection { try body($0, []) } ?? body(nil, [])
    case .transaction(let transaction):
      return try withConnection { try body($0, [transaction.changes(of: self).overlay]) } ?? body(nil, [])
    case .callback, .worker, .encoding, nil:
      guard core.isOpen else { throw core.shutdownError }
      return try core.withSettledView(capturing: overlays) { connection, overlays in
        Failpoint.overlayCopied.reach(in: core)
        return try body(connection, overlays)
      }
    }
  }

  /// The plain writes that are not committed at a commit; nil when the shards don't show that commit.
  ///
  /// Whoever moves the shards to another commit notes its number before the first of them: with all locked and the number
  /// unmoved, none has.
  private func overlays(at commitNumber: UInt64) -> [Shard.Overlay]? {
    shards.withAll { locked in
      guard core.publication.isSettled(at: commitNumber) else { return nil }
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

  /// The keys of a range without their values.
  func entries(of range: Clear) throws -> [(key: String, value: CachedValue?)] {
    let name = namespaces.name(range.namespace)
    return try withOverlays { connection, overlays in
      let keys = try connection.map { try DictionaryTable.keys(prefix: range.prefix, in: name, on: $0) } ?? []
      if overlays.allSatisfy(\.isEmpty) { return keys.map { ($0, nil) } }
      var present: [HashedKey: CachedValue?] = [:]
      for key in keys { present[HashedKey(key, namespace: range.namespace)] = .some(nil) }
      for overlay in overlays { present.lay(overlay, within: range) }
      return present.map { ($0.key.string, $0.value) }.sorted { $0.key.precedesInBytes($1.key) }
    }
  }

  func entriesWithValues(of range: Clear, limit: Int?) throws -> [DictionaryEntry] {
    let name = namespaces.name(range.namespace)
    var entries: [DictionaryEntry] = []
    let overlays = try withOverlays { connection, overlays in
      let mayStop = overlays.allSatisfy(\.isEmpty)
      guard let connection else { return overlays }
      try DictionaryTable.forEachRow(prefix: range.prefix, in: name, on: connection) { key, row in
        if mayStop, let limit, entries.count >= limit { return false }
        guard let stored = row.value.stored else { return true }
        entries.append(DictionaryEntry(key: key, value: stored, commitNumber: row.commitNumber))
        return true
      }
      return overlays
    }
    if overlays.allSatisfy(\.isEmpty) { return entries }
    var present: [HashedKey: CachedValue?] = [:]
    for overlay in overlays {
      entries.removeAll { overlay.value(of: HashedKey($0.key, namespace: range.namespace)) != nil }
      present.lay(overlay, within: range)
    }
    for (key, value) in present {
      guard let stored = try stored(value, of: key) else { continue }
      entries.append(DictionaryEntry(key: key.string, value: stored, commitNumber: nil))
    }
    entries.sort { $0.key.precedesInBytes($1.key) }
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
