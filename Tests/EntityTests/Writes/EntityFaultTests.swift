import DflatKV
import GoldenModels
import TestSupport
import Testing

/// Entities and dictionary keys of one transaction, all or nothing, whatever operation on the files fails (A1, A2, A7).
@Suite struct EntityFaultTests {
  /// A workspace on the fault-injecting VFS, in a known state: at number n the post "left" and the key "right" hold n, the
  /// member n has its card, and no other member is there.
  private final class Bench {
    let directory: TemporaryDirectory
    let workspace: SQLiteWorkspace
    private(set) var expected: Int

    /// - Parameter isNew: No entity was ever written: the tables are made by the transaction that meets the failure.
    init(isNew: Bool) throws {
      directory = try TemporaryDirectory("entity-fault")
      workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: Self.options)
      expected = 0
      try workspace.transactAndWait { $0.dictionary["right"] = 0 }
      if !isNew { try advance().get() }
      // Another's commit empties the write connection's cache: the transaction reads pages while it writes rows.
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: Self.options)
      try other.transactAndWait { $0.dictionary["other"] = 1 }
      other.shutdown()
    }

    private static var options: SQLiteWorkspace.Options {
      var options = SQLiteWorkspace.Options()
      options.vfs = FaultPlan.vfsName
      options.logger.logLevel = .critical
      options.busyTimeout = .milliseconds(10)
      return options
    }

    /// Moves everything to the next number.
    ///
    /// - Parameter ignoresErrors: The closure goes on after an error, as if nothing were the matter.
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
        // A failed submission on the way.
        #expect(throws: WorkspaceError.self) { try txn.insert(Member(number: 1_000, email: "\(next)@")) }
      }
    }

    /// The state is the old or the new one, everywhere, and the next transaction works.
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
      let other = try SQLiteWorkspace.open(filePath: directory.file(), options: Self.options)
      defer { other.shutdown() }
      #expect(try other.dictionary.value(forKey: "right", as: Int.self) == expected, what)
    }
  }

  /// Fails the 1st, 2nd, … operation until a run meets no failure any more.
  private func sweep(_ fault: Fault, persistent: Bool, isNew: Bool, ignoresErrors: Bool = false) throws {
    for number in 1...1_000 {
      let bench = try Bench(isNew: isNew)
      let plan = try FaultPlan(
        fault.operations, on: fault.files, in: bench.directory.path, fail: persistent ? .from(number) : .once(number),
        with: fault.code)
      let outcome = bench.advance(ignoresErrors: ignoresErrors)
      let failures = plan.faultCount
      plan.cancel()
      try bench.check(outcome, "\(fault), operation \(number)\(persistent ? " and all after it" : "")")
      bench.workspace.shutdown()
      if failures == 0 {
        #expect(throws: Never.self, "\(fault): no failure, and yet an error") { try outcome.get() }
        return
      }
    }
    Issue.record("\(fault) never ran out of operations to fail")
  }

  @Test(arguments: Fault.all) func oneFailure(fault: Fault) throws { try sweep(fault, persistent: false, isNew: false) }

  @Test(arguments: Fault.lasting) func aLastingFailure(fault: Fault) throws {
    try sweep(fault, persistent: true, isNew: false)
  }

  @Test(arguments: Fault.lasting) func aFailureWhileTheTablesAreMade(fault: Fault) throws {
    try sweep(fault, persistent: false, isNew: true)
  }

  /// Nothing is half applied, whatever the closure makes of the errors.
  @Test(arguments: Fault.all) func aClosureThatIgnoresErrors(fault: Fault) throws {
    try sweep(fault, persistent: false, isNew: false, ignoresErrors: true)
    try sweep(fault, persistent: false, isNew: true, ignoresErrors: true)
  }
}
