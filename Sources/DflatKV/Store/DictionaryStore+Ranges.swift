import DflatCore
import DflatSQLite
import DflatSupport

/// Reads of many keys. Each returns one consistent state: the overlay is copied at the commit that the file's view
/// shows.
extension DictionaryStore {
  /// Runs `body` with a connection whose view answers reads on this thread. Returns nil if there is no file.
  ///
  /// - Throws: ``WorkspaceError`` if the file can't be read, the workspace is shut down, or the thread's transaction
  ///   has failed; rethrows the errors of `body`, SQLite's as a ``WorkspaceError``.
  func withConnection<T>(_ body: (Connection) throws -> T) throws -> T? {
    do { return try withBareConnection(body) } catch let error as SQLiteError {
      throw WorkspaceError(error, path: core.path, doing: "Reading")
    }
  }

  private func withBareConnection<T>(_ body: (Connection) throws -> T) throws -> T? {
    switch try core.readingRole() {
    case .transaction(let transaction): return try transaction.reading { try transaction.joinedGroup().reading(body) }
    case .snapshot(let snapshot): return try snapshot.read { connection, _ in try body(connection) }
    case .callback, .worker, .encoding, nil:
      guard core.isOpen else { throw core.shutdownError }
      return try core.withView { connection, _ in try body(connection) }
    }
  }

  /// Runs `body` as `withConnection` does, and passes it the overlays that this thread's reads see above the file,
  /// oldest first.
  private func withOverlays<T>(_ body: (Connection?, [Shard.Overlay]) throws -> T) throws -> T {
    switch try core.readingRole() {
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

  /// Returns the plain writes that come on top of a commit, or nil if the shards don't show that commit.
  ///
  /// A publication notes its commit number before it changes the first shard. So if the number is unchanged while all
  /// shards are locked, no shard has changed.
  private func overlays(at commitNumber: UInt64) -> [Shard.Overlay]? {
    shards.withAll { locked in
      guard core.publication.isFullyPublished(at: commitNumber) else { return nil }
      var flushing = Shard.Overlay()
      var pending = Shard.Overlay()
      locked.forEachShard { shard in
        flushing.values.merge(shard.flushing.values) { $1 }
        pending.values.merge(shard.pending.values) { $1 }
        flushing.removals = shard.flushing.removals
        pending.removals = shard.pending.removals
      }
      return [flushing, pending]
    }
  }

  /// Returns the keys of a range in byte order. Only keys that an overlay wrote have a value.
  func entries(of range: PrefixRange) throws -> [(key: String, value: CachedValue?)] {
    let name = namespaces.name(range.namespace)
    recordedReads?.note(range)
    return try withOverlays { connection, overlays in
      let keys = try connection.map { try DictionaryTable.keys(prefix: range.prefix, in: name, on: $0) } ?? []
      if overlays.allSatisfy(\.isEmpty) { return keys.map { ($0, nil) } }
      var present: [HashedKey: CachedValue?] = [:]
      for key in keys { present[HashedKey(key, namespace: range.namespace)] = .some(nil) }
      for overlay in overlays { present.lay(overlay, within: range) }
      return present.map { ($0.key.string, $0.value) }.sorted { $0.key.precedesInBytes($1.key) }
    }
  }

  /// Returns the entries of a range in byte order, the first `limit` of them.
  func entriesWithValues(of range: PrefixRange, limit: Int?) throws -> [DictionaryEntry] {
    let name = namespaces.name(range.namespace)
    recordedReads?.note(range)
    var entries: [DictionaryEntry] = []
    let overlays = try withOverlays { connection, overlays in
      // With an overlay, all rows are needed: it may remove entries, or add some that come first.
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
    // Replace the entries that the overlays change.
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
  fileprivate mutating func lay(_ overlay: Shard.Overlay, within range: PrefixRange) {
    for removal in overlay.removals { self = filter { !removal.covers($0.key) } }
    for (key, value) in overlay.values where range.covers(key) {
      if value.isAbsent { self[key] = nil } else { updateValue(value, forKey: key) }
    }
  }
}
