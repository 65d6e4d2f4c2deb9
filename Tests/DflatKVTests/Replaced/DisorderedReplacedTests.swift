import DflatKV
import TestSupport
import Testing

/// Replaced values in a damaged file whose rows are not in the order of their numbers.
@Suite(.timeLimit(.minutes(15))) struct DisorderedReplacedTests {
  /// Returns a workspace that is shut down, on a file with values that the commits 2, 3 and 4 have replaced.
  private func sound() throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in txn.dictionary["k"] = "one" }
    try test.workspace.transactAndWait { txn in txn.dictionary["k"] = 1 }
    try test.workspace.transactAndWait { txn in txn.dictionary["k"] = "two" }
    try test.workspace.transactAndWait { txn in txn.dictionary["k"] = 2 }
    #expect(try test.dictionary.replacedValues().map(\.id.description) == ["4.1", "3.1", "2.1"])
    test.workspace.shutdown(flags: .truncate)
    return test
  }

  @Test("Reading the list is an error") func reading() throws {
    let file = try sound()
    try DisorderedRows.arrange("dflat_replaced", of: file.path) { $0.swapAt(0, 2) }
    let test = try file.another()
    let error = #expect(throws: WorkspaceError.self) { try test.dictionary.replacedValues() }
    #expect(error?.code == .corrupt && error?.message.contains("not in order") == true)
    #expect(test.dictionary["k"] == 2)
  }

  /// The removal of damaged rows looks for its place after each of them, and so passes over some.
  @Test("A damaged size that the removal of damaged rows misses is not added up") func missedSize() throws {
    let file = try sound()
    try RawDatabase.execute(
      """
      UPDATE dflat_replaced SET bytes = CASE commit_number WHEN 2 THEN 9223372036854775807 ELSE bytes + 1 END \
      WHERE commit_number IN (2, 4)
      """, on: file.path)
    // Commit 4, then 2 and 3.
    try DisorderedRows.arrange("dflat_replaced", of: file.path) { $0 = [$0[2], $0[0], $0[1]] }
    let test = try file.another()
    try test.workspace.transactAndWait { txn in txn.dictionary["k"] = "three" }
    #expect(test.dictionary["k"] == "three")
    #expect(try test.dictionary.replacedValues().map(\.id.description) == ["5.1", "3.1"])
  }
}
