import DflatCore
import DflatSQLite

/// A third participant, made of DflatCore's interfaces alone: named numbers, which transactions increment.
final class Counter: Participant {
  static let recordKind: UInt8 = 3

  /// The committed counts, as the participant's cache.
  private let counts = Lock<[String: Int]>([:])

  /// Returns the workspace's counter, and creates it on first use.
  static func of(_ core: WorkspaceCore) -> Counter { core.participant { _ in Counter() } }

  subscript(name: String) -> Int? { counts.withLock { $0[name] } }

  /// Adds to a count in a transaction that declared `Counter.self`.
  static func add(_ number: Int, to name: String, in transaction: TransactionContext) throws {
    guard transaction.declaredLanes.contains(CounterTables.lane) else {
      throw WorkspaceError(.undeclaredType, "A transaction changes counters, which it did not declare.")
    }
    // Create the participant, so that it applies the change.
    _ = Counter.of(transaction.core)
    _ = try transaction.joinedGroup()
    transaction.staged.state(orAdding: Changes()).numbers[name, default: 0] += number
  }

  /// The increments of a transaction, or the new counts of a group.
  private final class Changes { var numbers: [String: Int] = [:] }

  // MARK: Groups

  func begin(after commitNumber: UInt64) {}
  var hasPendingWrites: Bool { false }
  func drain(into group: Group) {}
  func failPendingWrites(because error: WorkspaceError) {}
  func stopAcceptingWrites() {}

  func apply(_ transaction: TransactionContext, to group: Group) throws {
    guard let staged = transaction.staged[Changes.self] else { return }
    for (name, number) in staged.numbers {
      let statement = try group.connection.statement(.addToCount)
      try statement.bind(name, at: 1)
      statement.bind(Int64(number), at: 2)
      try statement.run()
    }
  }

  func merge(_ transaction: TransactionContext, into group: Group) {
    guard let staged = transaction.staged[Changes.self] else { return }
    group.states.state(orAdding: Changes()).numbers.merge(staged.numbers) { $0 + $1 }
    group.hasChanges = true
  }

  /// Replaces the group's increments with its counts.
  func finish(_ group: Group) throws {
    guard let changes = group.states[Changes.self] else { return }
    for name in changes.numbers.keys { changes.numbers[name] = try Counter.count(name, on: group.connection) }
  }

  func prepare(_ group: Group) {}

  func changeRecord(for group: Group) -> [UInt8]? {
    guard let changes = group.states[Changes.self] else { return nil }
    var writer = RecordWriter()
    for name in changes.numbers.keys.sorted() { writer.write(counted: name) }
    return writer.bytes
  }

  func publish(_ group: Group) -> [Delivery] {
    if let changes = group.states[Changes.self] { counts.withLock { $0.merge(changes.numbers) { $1 } } }
    return []
  }

  func conclude(_ group: Group) {}
  func discard(_ group: Group, because error: WorkspaceError) {}

  // MARK: Other processes

  func hasExternalChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool { false }

  func publish(external records: [ChangeLog.Record], on connection: Connection) throws -> CacheMove {
    var changed: [String: Int] = [:]
    for record in records {
      guard case .found(var names) = RecordReader.record(of: Counter.recordKind, in: record.bytes) else { continue }
      while let bytes = names.counted() {
        let name = String(decoding: bytes, as: UTF8.self)
        changed[name] = try Counter.count(name, on: connection)
      }
    }
    return { [self, changed] in
      counts.withLock { $0.merge(changed) { $1 } }
      return []
    }
  }

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> CacheMove {
    { [self] in
      counts.withLock { $0 = [:] }
      return []
    }
  }

  func end() {}

  private static func count(_ name: String, on connection: Connection) throws -> Int {
    let statement = try connection.statement(.count)
    try statement.bind(name, at: 1)
    return try statement.firstRow { Int($0.int64(at: 0)) } ?? 0
  }
}

/// The counter's part of the file: a table, which every file of a program with this participant has.
struct CounterTables: ParticipantTables {
  static let lane = Lane.participant(recordKind: Counter.recordKind, number: 0)
  private static let counter = "CREATE TABLE counter (name TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID"

  var fixedTables: [FixedTable] { [FixedTable("counter", isInEveryFile: true)] }

  func createTables(on connection: Connection) throws { try connection.changeSchema(Self.counter) }

  func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes? {
    name == "counter" && TableFormat.isSame(sql, Self.counter) ? .automatic(origin: "pk") : nil
  }

  func lane(of type: Any.Type) -> Lane? { type == Counter.self ? Self.lane : nil }

  func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    let negative = try connection.integer("SELECT count(*) FROM counter WHERE count < 0")
    return negative == 0 ? [] : [IntegrityProblem(line: "\(negative) counts are negative.", isRepairable: true)]
  }

  func repair(in transaction: TransactionContext) throws -> [String] {
    let group = try transaction.joinedGroup()
    try group.connection.statement(.raiseCounts).run()
    if group.connection.changedRows == 0 { return [] }
    group.hasChanges = true
    return ["Set \(group.connection.changedRows) counts to 0."]
  }

  func rowCounts(on connection: Connection) throws -> [RowCount] { [try connection.rowCount(of: "counter")] }
}

extension SQL {
  fileprivate static let addToCount = SQL(
    "INSERT INTO counter (name, count) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET count = count + ?2")
  fileprivate static let count = SQL("SELECT count FROM counter WHERE name = ?1")
  fileprivate static let raiseCounts = SQL("UPDATE counter SET count = 0 WHERE count < 0")
}
