import DflatCore
import DflatSQLite
import TestSupport
import Testing

/// A small participant with its own table, to which transactions add entries. It logs every call.
final class Ledger: Participant, @unchecked Sendable {  // `path` is a constant; the rest is behind locks
  static let kind: UInt8 = 200

  let calls = EventLog<String>()
  let plain = Lock<[Int]>([])
  /// The error that the next call of a name throws.
  let failures = Lock<[String: any Error]>([:])
  /// Runs when a group is published.
  let onPublish = Lock<(@Sendable () -> Void)?>(nil)
  private let path: String

  init(_ workspace: SQLiteWorkspace) throws {
    path = workspace.filePath
    try Files.execute("CREATE TABLE IF NOT EXISTS ledger (entry INTEGER NOT NULL)", on: path)
    workspace.core.publication.add(self, unless: { false }, thenExpose: {})
  }

  static var recordKind: UInt8 { kind }
  var hasPendingWrites: Bool { plain.withLock { !$0.isEmpty } }

  /// Returns the entries in the file, as another program reads them.
  func stored() throws -> [Int] {
    let text = try Files.text(
      "SELECT group_concat(entry, ' ') FROM (SELECT entry FROM ledger ORDER BY entry)", on: path)
    return text.split(separator: " ").compactMap { Int($0) }
  }

  /// Adds an entry to a transaction.
  static func add(_ entry: Int, to transaction: TransactionContext) throws {
    _ = try transaction.joinedGroup()
    transaction.staged.state(orAdding: Entries()).values.append(entry)
  }

  private final class Entries { var values: [Int] = [] }

  private func fail(at call: String) throws {
    if let error = failures.withLock({ $0.removeValue(forKey: call) }) { throw error }
  }

  private func insert(_ values: [Int], into group: Group) throws {
    // The table isn't part of the format, so an ordinary statement may not use it.
    for value in values { try group.connection.changeSchema("INSERT INTO ledger VALUES (\(value))") }
  }

  private func note(_ values: [Int], in group: Group) {
    group.states.state(orAdding: Entries()).values += values
    if !values.isEmpty { group.hasChanges = true }
  }

  private func written(by group: Group) -> [Int] { group.states[Entries.self]?.values ?? [] }

  // MARK: Participant

  func drain(into group: Group) throws {
    let values = plain.withLock { plain in
      defer { plain = [] }
      return plain
    }
    calls.append("drain \(values)")
    note(values, in: group)
    try insert(values, into: group)
    try fail(at: "drain")
  }

  func failPendingWrites(because error: WorkspaceError) {
    calls.append("fail pending: \(error.code)")
    plain.withLock { $0 = [] }
  }

  func apply(_ transaction: TransactionContext, to group: Group) throws {
    guard let staged = transaction.staged[Entries.self] else { return }
    calls.append("apply \(staged.values)")
    try insert(staged.values, into: group)
    try fail(at: "apply")
  }

  func merge(_ transaction: TransactionContext, into group: Group) {
    guard let staged = transaction.staged[Entries.self] else { return }
    calls.append("adopt \(staged.values)")
    note(staged.values, in: group)
  }

  func hasExternalChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool { false }
  func finish(_ group: Group) throws {}
  func prepare(_ group: Group) {}

  func changeRecord(for group: Group) -> [UInt8]? {
    let values = written(by: group)
    calls.append("record \(values)")
    return values.isEmpty ? nil : values.map { UInt8(truncatingIfNeeded: $0) }
  }

  func publish(_ group: Group) -> [Delivery] {
    calls.append("publish \(written(by: group)) at \(group.commitNumber)")
    onPublish.withLock { $0 }?()
    return written(by: group).map { value in { [calls] in calls.append("deliver \(value)") } }
  }

  func conclude(_ group: Group) { calls.append("conclude") }

  func discard(_ group: Group, because error: WorkspaceError) {
    calls.append("discard \(written(by: group)): \(error.code)")
  }

  func publish(external records: [ChangeLog.Record], on connection: Connection) throws -> CacheMove {
    var deliveries: [Delivery] = []
    for record in records {
      var values: [Int] = []
      if case .found(var bytes) = RecordReader.record(of: Ledger.kind, in: record.bytes) {
        while let byte = bytes.byte() { values.append(Int(byte)) }
      }
      calls.append("foreign \(values) at \(record.commitNumber)")
      deliveries += values.map { value in { [calls] in calls.append("deliver \(value)") } }
    }
    return { [deliveries] in deliveries }
  }

  func reset(to commitNumber: UInt64, on connection: Connection) throws -> CacheMove {
    calls.append("reset to \(commitNumber)")
    return { [] }
  }

  func begin(after commitNumber: UInt64) {}
  func stopAcceptingWrites() { calls.append("stop") }

  func end() { calls.append("end") }
}
