import DflatCore
import DflatSQLite

/// Commits of other processes (A9). Runs under the publication lock.
extension DictionaryStore {
  func publish(foreign records: [ChangeLog.Record], on connection: Connection) throws -> [Delivery] {
    var commits: [(number: UInt64, changes: [ChangeRecord.Change])] = []
    for record in records {
      guard let reader = RecordReader.record(of: ChangeRecord.kind, in: record.bytes) else {
        commits.append((record.commitNumber, []))
        continue
      }
      guard let changes = ChangeRecord.decode(reader), !changes.contains(where: \.isUnknown) else {
        // Too much changed to be named: everything up to the view is compared with the file.
        return try reset(to: records.last?.commitNumber ?? record.commitNumber, on: connection)
      }
      commits.append((record.commitNumber, changes))
    }
    let lastMentions = Self.lastMentions(in: commits)
    let clears = commits.flatMap { commit in commit.changes.compactMap { $0.cleared(at: commit.number) } }
    var deliveries: [Delivery] = []
    for (number, changes) in commits {
      let operations = try changes.compactMap { change in
        // A value that was read from the file is not the one of a commit that others overtook.
        let isOvertaken = clears.contains { $0.number > number && change.isCovered(by: $0) }
        return isOvertaken
          ? nil : try operation(for: change, at: number, lastMentions: lastMentions, on: connection)
      }
      deliveries += move(to: number, operations)
    }
    return deliveries
  }

  /// The last commit that says anything of a key whose value has to be read from the file: only there is the value that is
  /// read the one that the commit wrote.
  private static func lastMentions(
    in commits: [(number: UInt64, changes: [ChangeRecord.Change])]
  ) -> [[String]: UInt64] {
    var mentions: [[String]: UInt64] = [:]
    for (number, changes) in commits {
      for case (let namespace, let key)? in changes.map(\.singleKey) { mentions[[namespace, key]] = number }
    }
    return mentions
  }

  private func operation(
    for change: ChangeRecord.Change, at number: UInt64, lastMentions: [[String]: UInt64], on connection: Connection
  ) throws -> Operation? {
    switch change {
    case .set(let namespace, let key, let value):
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), value)
    case .remove(let namespace, let key):
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), .absent)
    case .reload(let namespace, let key):
      guard lastMentions[[namespace, key]] == number else { return nil }
      let row = try DictionaryTable.load(key, in: namespace, on: connection)
      return .set(HashedKey(key, namespace: namespaces.number(namespace)), row?.value ?? .absent)
    case .clear(let namespace, let prefix):
      return .clear(Clear(namespace: namespaces.number(namespace), prefix: prefix))
    case .unknown: return nil
    }
  }

  /// One commit, at once for all shards.
  private func move(to number: UInt64, _ operations: [Operation]) -> [Delivery] {
    var events = Events(store: self, commitNumber: number)
    shards.withAll { locked in
      for operation in operations {
        switch operation {
        case .set(let key, let value):
          locked.withShard(of: key) { events.move(&$0, key, to: value, keepsUnknown: false) }
        case .clear(let clear): locked.forEachShard { events.clear(&$0, clear) }
        }
      }
    }
    return events.deliveries(after: operations)
  }

  // MARK: Missed commits

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> [Delivery] {
    var changes: [(Observer, DictionaryChange)] = []
    let observed = shards.withAll { locked in
      var keys: [HashedKey] = []
      locked.forEachShard { keys += $0.observers.keys }
      return keys
    }
    let rows = try observed.map { key in
      (key, try DictionaryTable.load(key.string, in: name(of: key), on: connection))
    }
    let events = Events(store: self, commitNumber: commitNumber)
    shards.withAll { locked in
      var old: [HashedKey: CachedValue] = [:]
      locked.forEachShard { shard in
        for key in shard.observers.keys { old[key] = shard.committed[key]?.value ?? .absent }
        shard.dropCommitted(at: commitNumber)
      }
      for (key, row) in rows {
        let value = row?.value ?? .absent
        let number = row?.commitNumber ?? commitNumber
        locked.withShard(of: key) { shard in
          shard.store(value, for: key, at: number)
          if let before = old[key], before.isIdentical(to: value) { return }
          for observer in shard.observers[key] ?? [] {
            changes.append((observer, events.change(key, value, at: number)))
          }
        }
      }
    }
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
