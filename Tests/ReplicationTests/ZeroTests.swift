import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore

/// Floating-point zeros, which SQLite's session extension takes for equal.
@Suite struct ZeroTests {
  private let replicas: Replicas
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one")
    other = try replicas.open("other")
  }

  private func connection(to replica: SQLiteWorkspace) throws -> Connection {
    try Connection(path: replica.filePath, mode: .readWrite, busyTimeout: .seconds(30))
  }

  /// Expects that the files are the same, bit by bit: SQL doesn't show the sign of a zero.
  private func expectSameFiles(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for replica in [one, other] { try replica.replication?.catchUp() }
    let differences = try TableComparison(connection(to: one), connection(to: other)).differences()
    #expect(differences == [], sourceLocation: sourceLocation)
  }

  /// Expects a key's sign on both machines, in their caches and in their files.
  private func expect(_ sign: FloatingPointSign, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectSameFiles(sourceLocation: sourceLocation)
    for replica in [one, other] {
      let cached = try replica.dictionary.value(forKey: "k", as: Double.self)
      #expect(cached?.sign == sign, sourceLocation: sourceLocation)
      let stored = try connection(to: replica).prepare("SELECT value FROM dictionary WHERE key = 'k'")
        .firstRow { $0.double(at: 0).sign }
      #expect(stored == sign, sourceLocation: sourceLocation)
    }
  }

  @Test("A zero that changes its sign reaches the other machines", arguments: [FloatingPointSign.plus, .minus])
  func changes(to sign: FloatingPointSign) throws {
    let zero = Double(sign: sign, exponent: 0, significand: 0)
    // By a plain write.
    one.dictionary["k"] = -zero
    try one.dictionary.synchronize()
    try other.replication?.catchUp()
    other.dictionary["k"] = zero
    try other.dictionary.synchronize()
    try expect(sign)
    // By a transaction, and by plain writes that are committed as one.
    try one.transactAndWait { $0.dictionary["k"] = -zero }
    try expect(sign == .plus ? .minus : .plus)
    try other.transactAndWait { $0.dictionary["k"] = zero }
    try expect(sign)
    one.dictionary["k"] = -zero
    one.dictionary["k"] = nil
    one.dictionary["k"] = Float(zero)
    try one.dictionary.synchronize()
    try expect(sign)
  }

  /// The first write or removal in the group hides the value that the row had before it.
  @Test(
    "A sign that members of one group change together, one of which is undone, reaches the other machines",
    arguments: [5.0, nil])
  func group(between: Double?) throws {
    try one.transactAndWait { $0.dictionary["k"] = 0.0 }
    try other.replication?.catchUp()
    let (held, go) = (Gate("the write token"), Gate("the end of the first closure"))
    let ended = EventLog<Bool>()
    one.performChanges([]) { txn in
      txn.dictionary["k"] = between
      held.open()
      try? go.wait()
    } completionHandler: {
      ended.append($0)
    }
    try held.wait()
    for (value, isUndone) in [(-0.0, false), (0.0, true)] {
      one.performChanges([]) { txn in
        txn.dictionary["k"] = value
        if isUndone { txn.abort() }
      } completionHandler: {
        ended.append($0)
      }
    }
    go.open()
    #expect(try ended.wait(forCount: 3) == [true, true, false])
    #expect(replicas.cluster.head == 2)
    try expect(.minus)
  }
}
