import DflatCore
import DflatSQLite

/// Publishes the commits of other processes (A9), under the publication lock.
extension DictionaryStore {
  func publish(external records: [ChangeLog.Record], on connection: Connection) throws -> CacheMove {
    // Decode the records.
    var commits: [(number: UInt64, members: [[ExternalChange]])] = []
    var uses = NamespaceReferences(in: namespaces)
    for record in records {
      switch RecordReader.record(of: ChangeRecord.kind, in: record.bytes) {
      case .none: commits.append((record.commitNumber, []))
      case .found(let reader):
        guard let members = ChangeRecord.decode(reader), let changes = Self.changes(of: members, &uses) else {
          fallthrough
        }
        commits.append((record.commitNumber, changes))
      case .damaged:
        // The record names no keys, or can't be read: compare the cache with the file, which the connection shows as of
        // the last record.
        return try reset(to: records.last?.commitNumber ?? record.commitNumber, on: connection)
      }
    }
    try noteExpiring(of: commits.flatMap(\.members).joined(), on: connection)
    // Turn the changes into operations. Read the values that the records don't include from the file.
    let lastMentions = Self.lastMentions(in: commits.flatMap(\.members))
    var moves: [(number: UInt64, members: [MemberChanges])] = []
    var unreadable: [HashedKey] = []
    var position = 0
    for (number, members) in commits {
      var changes: [MemberChanges] = []
      // A row has the number of the commit that wrote it, but not which of its transactions did. So note the values
      // that the commit's earlier transactions left.
      var earlier: [HashedKey: CachedValue] = [:]
      for member in members {
        let operations = try member.map { change in
          switch change {
          case .known(let operation): return operation
          case .reload(let key):
            guard lastMentions[key] == position else { return .keep(key, nil) }
            let operation = try reload(key, of: number, unreadable: &unreadable, on: connection)
            if case .set(_, let value) = operation, earlier[key]?.isIdentical(to: value) == true {
              return .keep(key, nil)
            }
            return operation
          }
        }
        if members.count > 1 {
          for operation in operations {
            switch operation {
            case .set(let key, let value): earlier[key] = value
            case .expire(let key): earlier[key] = .absent
            case .keep, .removePrefix: continue
            }
          }
        }
        changes.append(operations[...])
        position += 1
      }
      moves.append((number, changes))
    }
    return { [self, uses] in
      // When this returns, only the keys in the shards still use the names.
      defer { sweepNamespacesIfDue() }
      return withExtendedLifetime(uses) { move(through: moves, forgetting: unreadable) }
    }
  }

  /// A change by another process, with hashed keys in place of strings.
  private enum ExternalChange {
    case known(Operation)
    /// The key's row holds the new value.
    case reload(HashedKey)
  }

  /// Returns nil if anything may have changed.
  private static func changes(
    of members: [[ChangeRecord.Change]], _ uses: inout NamespaceReferences
  ) -> [[ExternalChange]]? {
    var result: [[ExternalChange]] = []
    for member in members {
      var changes: [ExternalChange] = []
      for change in member {
        switch change {
        case .set(let namespace, let key, let value):
          changes.append(.known(.set(HashedKey(key, namespace: uses.number(namespace)), value)))
        case .remove(let namespace, let key):
          changes.append(.known(.set(HashedKey(key, namespace: uses.number(namespace)), .absent)))
        case .expire(let namespace, let key):
          changes.append(.known(.expire(HashedKey(key, namespace: uses.number(namespace)))))
        case .reload(let namespace, let key):
          changes.append(.reload(HashedKey(key, namespace: uses.number(namespace))))
        case .removePrefix(let namespace, let prefix):
          changes.append(.known(.removePrefix(PrefixRange(namespace: uses.number(namespace), prefix: prefix))))
        case .unknown: return nil
        }
      }
      result.append(changes)
    }
    return result
  }

  /// Notes the values that expire among those which other processes have written.
  private func noteExpiring(of changes: some Sequence<ExternalChange>, on connection: Connection) throws {
    var isUnknown = false
    for change in changes {
      switch change {
      case .known(.set(_, let value)): if let expiration = value.expiration { noteFound(expiration) }
      case .reload: isUnknown = true
      case .known(.expire), .known(.keep), .known(.removePrefix): continue
      }
    }
    if isUnknown, let next = try ExpiryIndex.next(on: connection) { noteFound(next) }
  }

  /// Returns the last transaction that changes each key. Only that one wrote the value that the key's row holds.
  private static func lastMentions(in members: [[ExternalChange]]) -> [HashedKey: Int] {
    var mentions: [HashedKey: Int] = [:]
    for (position, member) in members.enumerated() {
      for change in member {
        switch change {
        case .known(.set(let key, _)), .known(.keep(let key, _)), .known(.expire(let key)), .reload(let key):
          mentions[key] = position
        case .known(.removePrefix): continue
        }
      }
    }
    return mentions
  }

  /// Returns a commit's change of a key whose value is in its row. If the row is gone, a later change removed it as
  /// part of a range, and reports the removal.
  private func reload(
    _ key: HashedKey, of commitNumber: UInt64, unreadable: inout [HashedKey], on connection: Connection
  ) throws -> Operation {
    switch try row(of: key, on: connection) {
    case .found(let row) where row.commitNumber >= commitNumber: return .set(key, row.value)
    // An older commit wrote the row: this one's removals spared it.
    case .found, .none: return .keep(key, nil)
    case .unreadable:
      unreadable.append(key)
      return .keep(key, nil)
    }
  }

  /// Moves the cache through all commits at once. An earlier commit leaves out the values that a later one replaced, so
  /// no reader may see its state (A1).
  private func move(
    through commits: [(number: UInt64, members: [MemberChanges])], forgetting unreadable: [HashedKey]
  ) -> [Delivery] {
    var displaced = DisplacedValues()
    let events = shards.withAll { locked in
      let events = commits.map { number, members in
        var events = PublicationChanges(store: self, commitNumber: number)
        for member in members { events.move(locked, member, keepsUnknown: false) }
        return events
      }
      for key in unreadable {
        locked.withShard(of: key) { shard in
          shard.forget(key, at: commits.last?.number ?? 0, displacing: &displaced)
          shard.noteUnread(key)
        }
      }
      // The new values may be longer.
      locked.forEachShard { $0.trim(limit: limit, displacing: &displaced) }
      return events
    }
    for event in events { displaced.keep(event.displaced) }
    var deliveries = zip(events, commits).flatMap { $0.deliveries(after: $1.members) }
    deliveries += trackedReads.deliveries(after: commits.lazy.flatMap { $0.members })
    if let delivery = catchUpDelivery { deliveries.append(delivery) }
    return displaced.delivery.map { deliveries + [$0] } ?? deliveries
  }

  // MARK: Missed commits

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> CacheMove {
    if let next = try ExpiryIndex.next(on: connection) { noteFound(next) }
    // In an older file that has replaced this one, any row may differ.
    let published = core.publication.published
    let known = commitNumber < published ? 0 : published
    let ranges = try prefixObservers.all.map { ($0, try rowsInRange(of: $0, after: known, on: connection)) }
    var rows: [HashedKey: ObservedRow] = [:]
    for key in shards.withAll({ $0.observedKeys(except: [:]) }) { rows[key] = try row(of: key, on: connection) }
    return { [self, rows] in try move(to: commitNumber, rows, ranges, on: connection) }
  }

  /// Moves the cache to the file's state. Throws, before it moves anything, if an observer was added whose row can't be
  /// read.
  private func move(
    to commitNumber: UInt64, _ rows: [HashedKey: ObservedRow],
    _ ranges: [(PrefixObserver, RowsInRange)], on connection: Connection
  ) throws -> [Delivery] {
    let events = PublicationChanges(store: self, commitNumber: commitNumber)
    var rows = rows
    var changes: [(Observer, DictionaryChange)] = []
    var unread: [HashedKey] = []
    var displaced = DisplacedValues()
    // Move the shards once the rows of all observed keys are known.
    repeat {
      for key in unread { rows[key] = try row(of: key, on: connection) }
      Failpoint.resetBeforeMove.reach(in: core)
      unread = shards.withAll { locked in
        // Observers may have been added while the rows were read.
        let unread = locked.observedKeys(except: rows)
        if unread.isEmpty { changes = locked.reset(to: commitNumber, rows, events, displacing: &displaced) }
        return unread
      }
    } while !unread.isEmpty
    // Add the changes for prefix observers.
    for (observer, rows) in ranges {
      for change in missedChanges(of: observer, rows, at: commitNumber, events) { changes.append((observer, change)) }
    }
    // Deliver in commit order.
    let ordered = changes.enumerated().sorted {
      ($0.element.1.commitNumber, $0.offset) < ($1.element.1.commitNumber, $1.offset)
    }
    var deliveries: [Delivery] = []
    if !ordered.isEmpty {
      deliveries.append { for (_, (observer, change)) in ordered { observer.deliver(change) } }
    }
    deliveries += trackedReads.deliveriesToAll()
    if let delivery = displaced.delivery { deliveries.append(delivery) }
    return deliveries
  }

  /// The keys in an observer's range, and the rows written by commits newer than the published one.
  private struct RowsInRange {
    var known = PrefixObserver.Known()
    var newer: [(key: HashedKey, row: DictionaryRow)] = []

    mutating func add(_ key: HashedKey, _ row: DictionaryRow?, after published: UInt64) {
      known.keys.insert(key)
      guard let row else { return }
      if let expiration = row.value.expiration { known.instants[key] = expiration }
      if row.commitNumber > published { newer.append((key, row)) }
    }
  }

  private func rowsInRange(
    of observer: PrefixObserver, after published: UInt64, on connection: Connection
  ) throws -> RowsInRange {
    let name = namespaces.name(observer.range.namespace)
    do {
      var rows = RowsInRange()
      try DictionaryTable.forEachRow(prefix: observer.range.prefix, in: name, on: connection) { text, read in
        rows.add(HashedKey(text, namespace: observer.range.namespace), try read(), after: published)
        return true
      }
      return rows
    } catch is WorkspaceError {
      // A row can't be decoded. Read one key at a time, which reports that row and finds its neighbors' changes.
      var rows = RowsInRange()
      for text in try DictionaryTable.keys(prefix: observer.range.prefix, in: name, on: connection) {
        let key = HashedKey(text, namespace: observer.range.namespace)
        if case .found(let row) = try row(of: key, on: connection) {
          rows.add(key, row, after: published)
        } else {
          rows.add(key, nil, after: published)
        }
      }
      return rows
    }
  }

  /// Returns the changes that a prefix observer missed: rows of unpublished commits, and removed keys.
  private func missedChanges(
    of observer: PrefixObserver, _ rows: RowsInRange, at commitNumber: UInt64, _ events: PublicationChanges
  ) -> [DictionaryChange] {
    var changes: [DictionaryChange] = []
    for (key, row) in rows.newer {
      changes.append(events.change(key, row.value, at: row.cacheableNumber(in: commitNumber)))
    }
    for gone in observer.replaceKnown(with: rows.known) {
      changes.append(events.change(gone.key, .absent, after: gone.expiration, at: commitNumber))
    }
    return changes
  }

  // MARK: Rows

  fileprivate enum ObservedRow {
    case none
    case found(DictionaryRow)
    /// A row that this version can't decode. It is reported; it is neither cached nor delivered to observers, which
    /// receive what comes after it.
    case unreadable
  }

  private func row(of key: HashedKey, on connection: Connection) throws -> ObservedRow {
    // The namespace's last user may have been an observer that was cancelled meanwhile.
    guard let name = namespaces.nameIfUsed(key.namespace) else { return .none }
    do {
      return try DictionaryTable.load(key.string, in: name, on: connection).map { .found($0) } ?? .none
    } catch let error as WorkspaceError {
      try connection.requireUnchangedFile()
      core.report(error.about(key: key.string, namespace: name, path: core.path))
      noteUnreadable(error, key, isCommitted: true)
      return .unreadable
    }
  }
}

extension ShardTable.Locked {
  fileprivate func observedKeys(except known: [HashedKey: DictionaryStore.ObservedRow]) -> [HashedKey] {
    var keys: [HashedKey] = []
    forEachShard { keys += $0.observers.keys.filter { known[$0] == nil } }
    return keys
  }

  /// Drops the cache except for observed keys, which take their values from the file. Returns the changes for their
  /// observers.
  fileprivate func reset(
    to commitNumber: UInt64, _ rows: [HashedKey: DictionaryStore.ObservedRow], _ events: PublicationChanges,
    displacing displaced: inout DisplacedValues
  ) -> [(Observer, DictionaryChange)] {
    var old: [HashedKey: CachedValue] = [:]
    forEachShard { shard in
      for key in shard.observers.keys { old[key] = shard.committed[key]?.value ?? .absent }
      displaced.keep(shard.committed)
      shard.dropCommitted(at: commitNumber)
    }
    var changes: [(Observer, DictionaryChange)] = []
    for (key, row) in rows {
      let (value, number): (CachedValue, UInt64)
      switch row {
      case .none: (value, number) = (.absent, commitNumber)
      case .found(let row): (value, number) = (row.value, row.cacheableNumber(in: commitNumber))
      case .unreadable:
        withShard(of: key) { $0.noteUnread(key) }
        continue
      }
      withShard(of: key) { shard in
        shard.store(value, for: key, at: number, displacing: &displaced)
        guard let observers = shard.observers[key], let before = old[key] else { return }
        let isUnread = shard.takeUnread(key)
        let isSame = before.isIdentical(to: value)
        // A row that an observer catches up with may be older than the commit at which it was told that there is no
        // value.
        let numberOfChange = isUnread ? commitNumber : number
        for observer in observers where isUnread ? observer.catchUp(with: value, after: before) : !isSame {
          changes.append((observer, events.change(key, value, after: before.expiration, at: numberOfChange)))
        }
      }
    }
    return changes
  }
}

extension Shard.State {
  /// Drops all entries, any of which may be outdated.
  mutating func dropCommitted(at commitNumber: UInt64) {
    committed = [:]
    absences = 0
    bytes = 0
    pinned = Shard.Pinned()
    // Not the maximum of both: if an older file replaced this one, commit numbers start over, and no view would reach
    // the old `oldestCacheableCommit`.
    oldestCacheableCommit = commitNumber
  }
}
