import DflatCore
import DflatSQLite

/// Commits of other processes (A9). Runs under the publication lock.
extension DictionaryStore {
  func publish(foreign records: [ChangeLog.Record], on connection: Connection) throws -> [Delivery] {
    var commits: [(number: UInt64, members: [[ChangeRecord.Change]])] = []
    for record in records {
      guard let reader = RecordReader.record(of: ChangeRecord.kind, in: record.bytes) else {
        commits.append((record.commitNumber, []))
        continue
      }
      guard let members = ChangeRecord.decode(reader), !members.joined().contains(where: \.isUnknown) else {
        // Too much changed to be named: everything up to the view is compared with the file.
        return try reset(to: records.last?.commitNumber ?? record.commitNumber, on: connection)
      }
      commits.append((record.commitNumber, members))
    }
    let lastMentions = Self.lastMentions(in: commits.flatMap(\.members))
    var deliveries: [Delivery] = []
    var position = 0
    for (number, members) in commits {
      var changes: [MemberChanges] = []
      for member in members {
        let operations = try member.compactMap { change in
          try operation(for: change, at: position, lastMentions: lastMentions, on: connection)
        }
        changes.append(operations[...])
        position += 1
      }
      deliveries += move(to: number, changes)
    }
    return deliveries
  }

  /// The last transaction that says anything of a key whose value has to be read from the file: only there is the value
  /// that is read the one that was written.
  private static func lastMentions(in members: [[ChangeRecord.Change]]) -> [[String]: Int] {
    var mentions: [[String]: Int] = [:]
    for (position, member) in members.enumerated() {
      for case (let namespace, let key)? in member.map(\.singleKey) { mentions[[namespace, key]] = position }
    }
    return mentions
  }

  private func operation(
    for change: ChangeRecord.Change, at position: Int, lastMentions: [[String]: Int], on connection: Connection
  ) throws -> Operation? {
    switch change {
    case .set(let namespace, let key, let value):
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), value)
    case .remove(let namespace, let key):
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), .absent)
    case .reload(let namespace, let key):
      // What is not there any more was removed with a range, by a later change.
      guard lastMentions[[namespace, key]] == position,
        let row = try DictionaryTable.load(key, in: namespace, on: connection)
      else { return nil }
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), row.value)
    case .clear(let namespace, let prefix):
      return .clear(Clear(namespace: namespaces.number(namespace), prefix: prefix))
    case .unknown: return nil
    }
  }

  /// One commit, at once for all shards.
  private func move(to number: UInt64, _ members: [MemberChanges]) -> [Delivery] {
    var events = Events(store: self, commitNumber: number)
    shards.withAll { locked in
      for member in members { events.move(locked, member, keepsUnknown: false) }
    }
    return events.deliveries(after: members)
  }

  // MARK: Missed commits

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> [Delivery] {
    let events = Events(store: self, commitNumber: commitNumber)
    var changes: [(Observer, DictionaryChange)] = []
    var rows: [HashedKey: DictionaryRow?] = [:]
    var unread = shards.withAll { $0.observedKeys(except: rows) }
    repeat {
      for key in unread {
        rows.updateValue(try DictionaryTable.load(key.string, in: name(of: key), on: connection), forKey: key)
      }
      Failpoint.resetBeforeMove.reach(in: core)
      unread = shards.withAll { locked in
        // Observers may have come while the rows were read.
        let unread = locked.observedKeys(except: rows)
        if unread.isEmpty { changes = locked.reset(to: commitNumber, rows, events) }
        return unread
      }
    } while !unread.isEmpty
    for observer in prefixObservers.all {
      for change in try missedChanges(of: observer, at: commitNumber, events, on: connection) {
        changes.append((observer, change))
      }
    }
    let ordered = changes.enumerated().sorted {
      ($0.element.1.commitNumber, $0.offset) < ($1.element.1.commitNumber, $1.offset)
    }
    return ordered.isEmpty ? [] : [{ for (_, (observer, change)) in ordered { observer.deliver(change) } }]
  }

  /// What a prefix observer missed: rows of commits after those that were published, and keys that are gone.
  private func missedChanges(
    of observer: PrefixObserver, at commitNumber: UInt64, _ events: Events, on connection: Connection
  ) throws -> [DictionaryChange] {
    let published = core.publication.published
    var changes: [DictionaryChange] = []
    var keys: [String] = []
    try DictionaryTable.forEachRow(
      prefix: observer.range.prefix, in: namespaces.name(observer.range.namespace), on: connection
    ) { string, row in
      keys.append(string)
      if row.commitNumber > published || commitNumber < published {
        let key = HashedKey(string, namespace: observer.range.namespace)
        changes.append(events.change(key, row.value, at: row.commitNumber))
      }
      return true
    }
    for gone in observer.replaceKnown(with: keys) {
      let key = HashedKey(gone, namespace: observer.range.namespace)
      changes.append(events.change(key, .absent, at: commitNumber))
    }
    return changes
  }

  // MARK: End

  func end() {
    let observers = shards.withAll { locked in
      var all: [Observer] = []
      locked.forEachShard { shard in
        for list in shard.observers.values { all += list as [Observer] }
        shard.observers = [:]
      }
      return all
    }
    for observer in observers + prefixObservers.all as [Observer] { observer.end() }
  }
}

extension ChangeRecord.Change {
  fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }

  fileprivate typealias Cleared = (number: UInt64, namespace: String, prefix: String)

  fileprivate func cleared(at number: UInt64) -> Cleared? {
    if case .clear(let namespace, let prefix) = self { (number, namespace, prefix) } else { nil }
  }

  /// True for a value that is to be read from the file, where the removal took it.
  fileprivate func isCovered(by clear: Cleared) -> Bool {
    guard case .reload(let namespace, let key) = self else { return false }
    return namespace == clear.namespace && key.hasBytePrefix(clear.prefix)
  }

  fileprivate var singleKey: (namespace: String, key: String)? {
    switch self {
    case .set(let namespace, let key, _), .remove(let namespace, let key), .reload(let namespace, let key):
      (namespace, key)
    case .clear, .unknown: nil
    }
  }
}

extension ShardTable.Locked {
  fileprivate func observedKeys(except known: [HashedKey: DictionaryRow?]) -> [HashedKey] {
    var keys: [HashedKey] = []
    forEachShard { keys += $0.observers.keys.filter { known[$0] == nil } }
    return keys
  }

  /// Drops the cache but for what is observed, which moves to the rows of the file. What changed, for its observers.
  fileprivate func reset(
    to commitNumber: UInt64, _ rows: [HashedKey: DictionaryRow?], _ events: Events
  ) -> [(Observer, DictionaryChange)] {
    var old: [HashedKey: CachedValue] = [:]
    forEachShard { shard in
      for key in shard.observers.keys { old[key] = shard.committed[key]?.value ?? .absent }
      shard.dropCommitted(at: commitNumber)
    }
    var changes: [(Observer, DictionaryChange)] = []
    for (key, row) in rows {
      let value = row?.value ?? .absent
      let number = row?.commitNumber ?? commitNumber
      withShard(of: key) { shard in
        shard.store(value, for: key, at: number)
        if let before = old[key], before.isIdentical(to: value) { return }
        for observer in shard.observers[key] ?? [] {
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
    // Not the highest so far: numbers start over in a file that was replaced.
    floor = commitNumber
  }
}
