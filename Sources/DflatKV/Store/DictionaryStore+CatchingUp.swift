import DflatCore
import DflatSQLite

extension WorkspaceError {
  /// True if a later read may succeed, although nothing changes in the file.
  var mayPass: Bool { [.busy, .inputOutput, .outOfMemory, .cannotOpen, .diskFull].contains(code) }
}

/// Observers of keys whose values could not be read when they began, for a reason that may pass. Each commit reads these
/// keys again after its own callbacks.
extension DictionaryStore {
  /// The callback of a commit that reads the keys again; nil if there are none.
  var catchUpDelivery: Delivery? {
    guard hasUnread.load(ordering: .relaxed) else { return nil }
    return { [core] in DictionaryStore.of(core).catchUp() }
  }

  private func catchUp() {
    do {
      try core.withPublishedView { connection in
        let keys = keysToReadAgain()
        guard let connection, core.isOpen, !keys.isEmpty else { return }
        let rows = try keys.compactMap { key in try readAgain(key, on: connection).map { (key, $0) } }
        try connection.requireUnchangedFile()
        deliver(rows.flatMap { catchUp($0, with: $1) })
        _ = keysToReadAgain()
      }
    } catch {
      core.log.write(
        .debug, "Observers of '\(core.path)' could not be brought up to date.",
        about: .wrapping(error, path: core.path, doing: "Reading"), for: core)
    }
  }

  /// Returns the observed keys whose values could not be read, for reasons that may pass. Notes if there are none.
  private func keysToReadAgain() -> [HashedKey] {
    shards.withAll { locked in
      var keys: [HashedKey] = []
      locked.forEachShard { shard in
        for (key, mayPass) in shard.unread where mayPass { keys.append(key) }
      }
      if keys.isEmpty { hasUnread.store(false, ordering: .relaxed) }
      return keys
    }
  }

  /// The row of a key, if it has one.
  private struct FoundRow {
    var row: DictionaryRow?
  }

  /// Reads a key. Returns nil if nobody observes it any more, or if its row is damaged, which isn't tried again.
  private func readAgain(_ key: HashedKey, on connection: Connection) throws -> FoundRow? {
    guard let name = namespaces.nameIfUsed(key.namespace) else { return nil }
    do {
      return FoundRow(row: try DictionaryTable.load(key.string, in: name, on: connection))
    } catch {
      let failure = WorkspaceError.wrapping(
        connection.cause(ofFailure: error), path: core.path, doing: "Reading")
      if failure.mayPass || failure.code == .conflict { throw failure }
      core.report(failure.about(key: key.string, namespace: name, path: core.path))
      noteUnreadable(failure, key, isCommitted: true)
      shards.withShard(of: key) { shard in
        if shard.unread[key] != nil { shard.unread[key] = false }
      }
      return nil
    }
  }

  /// Caches the published value of a key. Returns the changes for the observers that don't know it.
  private func catchUp(_ key: HashedKey, with found: FoundRow) -> [(KeyObserver, DictionaryChange)] {
    // Under the publication lock, so nothing is published meanwhile (A8).
    let published = core.publication.published
    let now = core.options.wallClock.now()
    let events = PublicationChanges(store: self, commitNumber: published)
    return shards.withShard(of: key) { shard, displaced in
      guard shard.unread[key] != nil, let observers = shard.observers[key] else { return [] }
      let value = shard.committed[key]?.value ?? found.row?.value ?? .absent
      if shard.committed[key] == nil {
        let number = found.row?.cacheableNumber(in: published) ?? published
        shard.store(value, for: key, at: number, displacing: &displaced)
      }
      // The removal of an expired value, which no reader sees any more, ends this.
      if value.visible(at: now).isAbsent != value.isAbsent { return [] }
      _ = shard.takeUnread(key)
      return observers.filter { $0.catchUp(with: value, after: value) }
        .map { ($0, events.change(key, value, at: published)) }
    }
  }

  /// Enqueues changes under the publication lock, and thereby before those of later commits (A4).
  private func deliver(_ changes: [(KeyObserver, DictionaryChange)]) {
    if changes.isEmpty { return }
    core.delivery.enqueue(for: core) { for (observer, change) in changes { observer.deliver(change) } }
  }
}
