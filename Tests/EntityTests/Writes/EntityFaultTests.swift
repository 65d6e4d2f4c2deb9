import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Failing file operations in a transaction of entities and dictionary keys: all of it is committed or nothing (A1, A2,
/// A7).
@Suite struct EntityFaultTests {
  /// A workspace on the fault-injecting VFS, in a known state: at number n, the post "left" and the key "right" hold n,
  /// and member n, with card n, is the only member.
  private final class MatchingObjectsAndKey {
    private let test: TestWorkspace
    var directory: TemporaryDirectory { test.directory }
    var workspace: SQLiteWorkspace { test.workspace }
    private(set) var expected: Int

    /// - Parameter isNew: Writes no entities, so that the transaction with the failure creates the tables.
    init(isNew: Bool) throws {
      test = try TestWorkspace {
        $0.vfs = FaultPlan.vfsName
        $0.busyTimeout = .milliseconds(10)
      }
      expected = 0
      try workspace.transactAndWait { $0.dictionary["right"] = 0 }
      if !isNew { try advance().get() }
      // Another workspace's commit empties the write connection's page cache, so that the transaction reads pages while
      // it writes rows.
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
      try other.transactAndWait { $0.dictionary["other"] = 1 }
      other.shutdown()
    }

    /// Moves everything to the next number.
    ///
    /// - Parameter ignoresErrors: The closure catches errors of its requests and continues.
    func advance(ignoresErrors: Bool = false) -> Result<Void, any Error> {
      let next = expected + 1
      let outcome = Result { try step(to: next, ignoresErrors: ignoresErrors) }
      if case .success = outcome { expected = next }
      return outcome
    }

    private func step(to next: Int, ignoresErrors: Bool) throws {
      func attempt(_ body: () throws -> Void) throws {
        do { try body() } catch { if !ignoresErrors { throw error } }
      }
      try workspace.transactAndWait([Post.self, Member.self]) { txn in
        let request = PostChangeRequest.upsertRequest(Post(title: "left"))
        request.priority = Int32(next)
        request.tag = String(repeating: "t", count: 5_000)
        try attempt { try txn.submit(request) }
        if next > 1 { try attempt { try txn.delete(Member(number: UInt64(next - 1))) } }
        txn.dictionary["right"] = next
        try attempt { try txn.insert(Member(number: UInt64(next), email: "\(next)@", card: Int32(next))) }
        // A request that is refused.
        #expect(throws: WorkspaceError.self) { try txn.insert(Member(number: 1_000, email: "\(next)@")) }
      }
    }

    /// Expects the old or the new state everywhere, and that the next transaction works.
    func check(_ outcome: Result<Void, any Error>, _ what: Comment) throws {
      if case .failure(let error) = outcome {
        let error = try #require(error as? WorkspaceError, what)
        if error.code == .outcomeUnknown {
          expected = try workspace.transactAndWait { try $0.dictionary.value(forKey: "right", as: Int.self) } ?? -1
        }
      }
      try checkEverywhere(what)
      let again = advance()
      #expect(throws: Never.self, what) { try again.get() }
      try checkEverywhere(what)
    }

    private func checkEverywhere(_ what: Comment) throws {
      #expect(workspace.dictionary["right", Int.self] == expected, what)
      let posts = try EntityFileCheck(Post.self, in: directory.file()).objects()
      let members = try EntityFileCheck(Member.self, in: directory.file()).objects()
      #expect(posts.map(\.priority) == (expected == 0 ? [] : [Int32(expected)]), what)
      #expect(members.map(\.card) == (expected == 0 ? [] : [Int32(expected)]), what)
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: .onFaultVFS)
      defer { other.shutdown() }
      #expect(try other.dictionary.value(forKey: "right", as: Int.self) == expected, what)
    }
  }

  /// Fails the 1st, 2nd, … operation until a run has no failure.
  private func sweep(_ fault: Fault, persistent: Bool, isNew: Bool, ignoresErrors: Bool = false) throws {
    for number in 1...Fault.mostOperations {
      let matching = try MatchingObjectsAndKey(isNew: isNew)
      let plan = try FaultPlan(
        fault.operations, on: fault.files, in: matching.directory.path,
        fail: persistent ? .from(number) : .once(number), with: fault.code)
      let outcome = matching.advance(ignoresErrors: ignoresErrors)
      let failures = plan.faultCount
      plan.cancel()
      try matching.check(outcome, "\(fault), operation \(number)\(persistent ? " and all after it" : "")")
      matching.workspace.shutdown()
      if failures == 0 {
        #expect(throws: Never.self, "\(fault): an error without a failed operation") { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault): Run \(Fault.mostOperations) still failed an operation")
  }

  @Test("A single failed operation commits all of a transaction or nothing", arguments: Fault.all)
  func oneFailure(fault: Fault) throws { try sweep(fault, persistent: false, isNew: false) }

  @Test("A lasting failure commits all of a transaction or nothing", arguments: Fault.lasting)
  func aLastingFailure(fault: Fault) throws {
    try sweep(fault, persistent: true, isNew: false)
  }

  @Test("A failure in a transaction that creates tables commits all of it or nothing", arguments: Fault.lasting)
  func aFailureWhileTheTablesAreMade(fault: Fault) throws {
    try sweep(fault, persistent: false, isNew: true)
  }

  @Test("A transaction whose closure ignores errors is committed as a whole or not at all", arguments: Fault.all)
  func aClosureThatIgnoresErrors(fault: Fault) throws {
    try sweep(fault, persistent: false, isNew: false, ignoresErrors: true)
    try sweep(fault, persistent: false, isNew: true, ignoresErrors: true)
  }
}
