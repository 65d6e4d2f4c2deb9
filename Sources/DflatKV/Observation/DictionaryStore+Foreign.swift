import DflatCore
import DflatSQLite

/// Commits of other processes (A9). Runs under the publication lock.
extension DictionaryStore {
  func publish(foreign records: [ChangeLog.Record], on connection: Connection) throws -> ForeignMove {
    var commits: [(number: UInt64, members: [[ForeignChange]])] = []
    var uses = NamespaceUses(in: namespaces)
    for record in records {
      switch RecordReader.record(of: ChangeRecord.kind, in: record.bytes) {
      case .none: commits.append((record.commitNumber, []))
      case .found(let reader):
        guard let members = ChangeRecord.decode(reader), let changes = Self.changes(of: members, &uses) else {
          fallthrough
        }
        commits.append((record.commitNumber, changes))
      case .damaged:
        // Too much changed to be named, or what changed can't be read: the cache is compared with the file, which the
        // connection shows as of the last record.
        return try reset(to: records.last?.commitNumber ?? record.commitNumber, on: connection)
      }
    }
    let lastMentions = Self.lastMentions(in: commits.flatMap(\.members))
    var moves: [(number: UInt64, members: [MemberChanges])] = []
    var unreadable: [HashedKey] = []
    var position = 0
    for (number, members) in commits {
      var changes: [MemberChanges] = []
      // A row says which commit wrote it, not which of its transactions: what the earlier ones left of a key tells.
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
          for case .set(let key, let value) in operations { earlier[key] = value }
        }
        changes.append(operations[...])
        position += 1
      }
      moves.append((number, changes))
    }
    return { [self, uses] in
      // The names are used no more when this returns, but by what the shards keep.
      defer { sweepNamespacesIfDue() }
      return withExtendedLifetime(uses) { move(through: moves, forgetting: unreadable) }
    }
  }

  /// A change of another process, by keys: from here on nothing is identified by strings.
  private enum ForeignChange {
    case known(Operation)
    /// Its value is in the key's row.
    case reload(HashedKey)
  }

  /// Nil when anything may have changed.
  private static func changes(
    of members: [[ChangeRecord.Change]], _ uses: inout NamespaceUses
  ) -> [[ForeignChange]]? {
    var result: [[ForeignChange]] = []
    for member in members {
      var changes: [ForeignChange] = []
      for change in member {
        switch change {
        case .set(let namespace, let key, let value):
          changes.append(.known(.set(HashedKey(key, namespace: uses.number(namespace)), value)))
        case .remove(let namespace, let key):
          changes.append(.known(.set(HashedKey(key, namespace: uses.number(namespace)), .absent)))
        case .reload(let namespace, let key):
          changes.append(.reload(HashedKey(key, namespace: uses.number(namespace))))
        case .clear(let namespace, let prefix):
          changes.append(.known(.clear(Clear(namespace: uses.number(namespace), prefix: prefix))))
        case .unknown: return nil
        }
      }
      result.append(changes)
    }
    return result
  }

  /// The last transaction that says anything of a key whose value has to be read from the file: only there is the value
  /// that is read the one that was written.
  private static func lastMentions(in members: [[ForeignChange]]) -> [HashedKey: Int] {
    var mentions: [HashedKey: Int] = [:]
    for (position, member) in members.enumerated() {
      for change in member {
        switch change {
        case .known(.set(let key, _)), .known(.keep(let key, _)), .reload(let key): mentions[key] = position
        case .known(.clear): continue
        }
      }
    }
    return mentions
  }

  /// What a commit made of a key whose value is in its row. A value that is not there any more was removed with a range, by
  /// a later change, which tells the removal.
  private func reload(
    _ key: HashedKey, of commitNumber: UInt64, unreadable: inout [HashedKey], on connection: Connection
  ) throws -> Operation {
    switch try row(of: key, on: connection) {
    case .found(let row) where row.commitNumber >= commitNumber: return .set(key, row.value)
    // Written before: the commit's removals left it alone.
    case .found, .none: return .keep(key, nil)
    case .unreadable:
      unreadable.append(key)
      return .keep(key, nil)
    }
  }

  /// All commits at once: a value that a later one overtook was left out of an earlier one, which nobody may see so (A1).
  private func move(
    through commits: [(number: UInt64, members: [MemberChanges])], forgetting unreadable: [HashedKey]
  ) -> [Delivery] {
    let events = shards.withAll { locked in
      let events = commits.map { number, members in
        var events = Events(store: self, commitNumber: number)
        for member in members { events.move(locked, member, keepsUnknown: false) }
        return events
      }
      for key in unreadable { locked.withShard(of: key) { $0.forget(key, at: commits.last?.number ?? 0) } }
      return events
    }
    return zip(events, commits).flatMap { $0.deliveries(after: $1.members) }
  }

  // MARK: Missed commits

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> ForeignMove {
    let ranges = try prefixObservers.all.map { ($0, try rowsInRange(of: $0, on: connection)) }
    var rows: [HashedKey: ObservedRow] = [:]
    for key in shards.withAll({ $0.observedKeys(except: [:]) }) { rows[key] = try row(of: key, on: connection) }
    return { [self, rows] in try move(to: commitNumber, rows, ranges, on: connection) }
  }

  /// Fails, before it moves anything, where an observer came whose row was not read, and can't be.
  private func move(
    to commitNumber: UInt64, _ rows: [HashedKey: ObservedRow],
    _ ranges: [(PrefixObserver, [(key: HashedKey, newer: DictionaryRow?)])], on connection: Connection
  ) throws -> [Delivery] {
    let events = Events(store: self, commitNumber: commitNumber)
    var rows = rows
    var changes: [(Observer, DictionaryChange)] = []
    var unread: [HashedKey] = []
    repeat {
      for key in unread { rows[key] = try row(of: key, on: connection) }
      Failpoint.resetBeforeMove.reach(in: core)
      unread = shards.withAll { locked in
        // Observers may have come while the rows were read.
        let unread = locked.observedKeys(except: rows)
        if unread.isEmpty { changes = locked.reset(to: commitNumber, rows, events) }
        return unread
      }
    } while !unread.isEmpty
    for (observer, rows) in ranges {
      for change in missedChanges(of: observer, rows, at: commitNumber, events) { changes.append((observer, change)) }
    }
    let ordered = changes.enumerated().sorted {
      ($0.element.1.commitNumber, $0.offset) < ($1.element.1.commitNumber, $1.offset)
    }
    return ordered.isEmpty ? [] : [{ for (_, (observer, change)) in ordered { observer.deliver(change) } }]
  }

  /// The keys of an observer's range, with the rows that later commits than the published one wrote.
  private func rowsInRange(
    of observer: PrefixObserver, on connection: Connection
  ) throws -> [(key: HashedKey, newer: DictionaryRow?)] {
    let name = namespaces.name(observer.range.namespace)
    let published = core.publication.published
    var rows: [(HashedKey, DictionaryRow?)] = []
    do {
      try DictionaryTable.forEachRow(prefix: observer.range.prefix, in: name, on: connection) { text, row in
        rows.append((HashedKey(text, namespace: observer.range.namespace), row.commitNumber > published ? row : nil))
        return true
      }
      return rows
    } catch is WorkspaceError {
      // A row that can't be decoded: it is reported, and its neighbors are told, one by one.
      return try DictionaryTable.keys(prefix: observer.range.prefix, in: name, on: connection).map { text in
        let key = HashedKey(text, namespace: observer.range.namespace)
        guard case .found(let row) = try row(of: key, on: connection) else { return (key, nil) }
        return (key, row.commitNumber > published ? row : nil)
      }
    }
  }

  /// What a prefix observer missed: rows of commits after those that were published, and keys that are gone.
  private func missedChanges(
    of observer: PrefixObserver, _ rows: [(key: HashedKey, newer: DictionaryRow?)], at commitNumber: UInt64,
    _ events: Events
  ) -> [DictionaryChange] {
    var changes: [DictionaryChange] = []
    for case (let key, let row?) in rows { changes.append(events.change(key, row.value, at: row.commitNumber)) }
    for gone in observer.replaceKnown(with: rows.map(\.key)) {
      changes.append(events.change(gone, .absent, at: commitNumber))
    }
    return changes
  }

  // MARK: Rows

  fileprivate enum ObservedRow {
    case none
    case found(DictionaryRow)
    /// There is one that this version can't decode. It is reported, cached as nothing, and told to nobody.
    case unreadable
  }

  private func row(of key: HashedKey, on connection: Connection) throws -> ObservedRow {
    // An observer that was cancelled meanwhile may have been the last to use the name.
    guard let name = namespaces.nameIfUsed(key.namespace) else { return .none }
    do {
      return try DictionaryTable.load(key.string, in: name, on: connection).map { .found($0) } ?? .none
    } catch let error as WorkspaceError {
      core.report(error.about(key: key.string, namespace: name, path: core.path))
      return .unreadable
    }
  }

  // MARK: End

  func end() {
    let observers = shards.withAll { locked in
      var all: [Observer] = []
      locked.forEachShard { shard in
        for observers in shard.observers.values { for observer in observers { all.append(observer) } }
        shard.observers = [:]
      }
      return all
    }
    for observer in observers + prefixObservers.all as [Observer] { observer.end() }
  }
}

extension ShardTable.Locked {
  fileprivate func observedKeys(except known: [HashedKey: DictionaryStore.ObservedRow]) -> [HashedKey] {
    var keys: [HashedKey] = []
    forEachShard { keys += $0.observers.keys.filter { known[$0] == nil } }
    return keys
  }

  /// Drops the cache but for what is observed, which moves to the rows of the file. What changed, for its observers.
  fileprivate func reset(
    to commitNumber: UInt64, _ rows: [HashedKey: DictionaryStore.ObservedRow], _ events: Events
  ) -> [(Observer, DictionaryChange)] {
    var old: [HashedKey: CachedValue] = [:]
    forEachShard { shard in
      for key in shard.observers.keys { old[key] = shard.committed[key]?.value ?? .absent }
      shard.dropCommitted(at: commitNumber)
    }
    var changes: [(Observer, DictionaryChange)] = []
    for (key, row) in rows {
      let (value, number): (CachedValue, UInt64)
      switch row {
      case .none: (value, number) = (.absent, commitNumber)
      case .found(let row): (value, number) = (row.value, row.commitNumber)
      case .unreadable: continue
      }
      withShard(of: key) { shard in
        shard.store(value, for: key, at: number)
        if let before = old[key], before.isIdentical(to: value) { return }
        for observer in shard.observers[key] ?? OrderedBag() {
          changes.append((observer, events.change(key, value, at: number)))
        }
      }
    }
    return changes
  }
}

extension Shard.State {
  /// Nothing that was cached is sure any more.
  fileprivate mutating func dropCommitted(at commitNumber: UInt64) {
    committed = [:]
    absences = 0
    bytes = 0
    // Not the highest so far: in an older file that took the place of this one, numbers start over, and no view would reach a
    // floor that stayed where it was.
    floor = commitNumber
  }
}
