import DflatCore
import DflatSQLite
import DflatSupport

/// Reads of many keys. Each returns one consistent state: the overlay is copied at the commit that the file's view
/// shows.
extension DictionaryStore {
  /// Runs `body` with a connection whose view answers reads on this thread. Returns nil if there is no file.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` if the file can't be read, the workspace is shut down, or the thread's
  ///   transaction has failed; rethrows the errors of `body`, SQLite's as a ``/DflatCore/WorkspaceError``.
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

  /// Returns true if a key has a value, whether or not this version can read it.
  func hasValue(_ key: HashedKey) throws -> Bool {
    let name = name(of: key)
    recordedReads?.note(key)
    return try withOverlays { connection, overlays in
      let now = try readingTime()
      for overlay in overlays.reversed() {
        if let value = overlay.value(of: key) { return !value.visible(at: now).isAbsent }
      }
      guard let connection else { return false }
      return try DictionaryTable.hasRow(of: key.string, in: name, at: now, on: connection)
    }
  }

  /// Returns the keys of a range in byte order. The value is nil for keys that were read from the file.
  func entries(of range: PrefixRange) throws -> [(key: String, value: CachedValue?)] {
    let name = namespaces.name(range.namespace)
    recordedReads?.note(range)
    return try withOverlays { connection, overlays in
      var keys: [String] = []
      let now = try readingTime()
      if let connection {
        try findExpiring(on: connection)
        keys = try DictionaryTable.keys(prefix: range.prefix, in: name, on: connection)
        let expired = try expiredKeys(of: range, named: name, at: now, on: connection)
        if !expired.isEmpty { keys.removeAll { expired.contains(HashedKey($0, namespace: range.namespace)) } }
      }
      if overlays.allSatisfy(\.isEmpty) { return keys.map { ($0, nil) } }
      var present: [HashedKey: CachedValue?] = [:]
      for key in keys { present[HashedKey(key, namespace: range.namespace)] = .some(nil) }
      for overlay in overlays { present.lay(overlay, within: range, at: now) }
      return present.map { ($0.key.string, $0.value) }.sorted { $0.key.precedesInBytes($1.key) }
    }
  }

  /// Returns the entries of a range in byte order, the first `limit` of them.
  func entriesWithValues(of range: PrefixRange, limit: Int?) throws -> [DictionaryEntry] {
    let found = try readableEntries(of: range, limit: limit)
    if let error = found.unreadable.first?.error { throw error }
    return found.entries
  }

  /// Returns the entries of a range in byte order, the first `limit` of them, and in no order the keys whose values
  /// can't be read: this version doesn't know their type, or they are queued and can't be encoded.
  ///
  /// - Parameter passesOverDamage: True to count damaged values among those, false to throw. Damage fails a transaction.
  func readableEntries(
    of range: PrefixRange, limit: Int?, passingOverDamage passesOverDamage: Bool = false
  ) throws -> (entries: [DictionaryEntry], unreadable: [(key: String, error: WorkspaceError)]) {
    let name = namespaces.name(range.namespace)
    recordedReads?.note(range)
    var entries: [DictionaryEntry] = []
    var unreadable: [(key: String, error: WorkspaceError)] = []
    let now = try readingTime()
    let overlays = try withOverlays { connection, overlays in
      // With an overlay, all rows are needed: it may remove entries, or add some that come first.
      let mayStop = overlays.allSatisfy(\.isEmpty)
      guard let connection else { return overlays }
      try findExpiring(on: connection)
      try DictionaryTable.forEachRow(prefix: range.prefix, in: name, on: connection) { key, read in
        if mayStop, let limit, entries.count >= limit { return false }
        do {
          let row = try read()
          guard let stored = row.value.visible(at: now).stored else { return true }
          entries.append(
            DictionaryEntry(
              key: key, value: stored, commitNumber: row.commitNumber, expiration: row.value.expiration))
        } catch let error as WorkspaceError
          where error.code == .undecodable || passesOverDamage && error.code == .corrupt
        {
          unreadable.append((key, error.about(key: key, namespace: name, path: core.path)))
        }
        return true
      }
      return overlays
    }
    if overlays.allSatisfy(\.isEmpty) { return (entries, unreadable) }
    // Replace the entries that the overlays change.
    var present: [HashedKey: CachedValue?] = [:]
    for overlay in overlays {
      entries.removeAll { overlay.value(of: HashedKey($0.key, namespace: range.namespace)) != nil }
      unreadable.removeAll { overlay.value(of: HashedKey($0.key, namespace: range.namespace)) != nil }
      present.lay(overlay, within: range, at: now)
    }
    for (key, value) in present {
      do {
        guard let value = try value?.encoded(), let stored = value.stored else { continue }
        entries.append(
          DictionaryEntry(
            key: key.string, value: stored, commitNumber: nil, expiration: value.expiration))
      } catch let error as WorkspaceError {
        unreadable.append((key.string, error.about(key: key.string, namespace: name, path: core.path)))
      }
    }
    entries.sort { $0.key.precedesInBytes($1.key) }
    return (limit.map { Array(entries.prefix($0)) } ?? entries, unreadable)
  }
}

extension [HashedKey: CachedValue?] {
  /// Applies an overlay's removals and writes within a range, as they are at an instant.
  fileprivate mutating func lay(_ overlay: Shard.Overlay, within range: PrefixRange, at milliseconds: Int64) {
    if !overlay.removals.isEmpty { self = filter { !overlay.removals.covers($0.key) } }
    for (key, value) in overlay.values where range.covers(key) {
      if value.visible(at: milliseconds).isAbsent { self[key] = nil } else { updateValue(value, forKey: key) }
    }
  }
}
