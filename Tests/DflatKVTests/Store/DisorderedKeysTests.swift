import DflatKV
import TestSupport
import Testing

/// A damaged file whose rows are not in the order of their keys. A tree of pages in which many paths lead to the same page
/// looks like that, too, and would take ages to read.
@Suite(.timeLimit(.minutes(15))) struct DisorderedKeysTests {
  /// Returns a workspace that is shut down, on a file with the keys a, b and c.
  private func sound() throws -> TestWorkspace {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for key in ["a", "b", "c"] { txn.dictionary[key] = 1 }
    }
    test.workspace.shutdown(flags: .truncate)
    return test
  }

  private func expectDisorder(_ body: () throws -> Void) {
    do {
      try body()
      Issue.record("Rows that are not in order were read.")
    } catch {
      let error = error as? WorkspaceError
      #expect(error?.code == .corrupt && error?.message.contains("not in order") == true)
    }
  }

  @Test("Reading keys or entries is an error") func reading() throws {
    let file = try sound()
    try DisorderedRows.arrange("dictionary", of: file.path) { $0.swapAt(0, 2) }
    let test = try file.another()
    #expect(test.dictionary.keys == [])
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.corrupt])
    expectDisorder { _ = try test.dictionary.entries() }
    #expect(throws: WorkspaceError.self) { try test.dictionary.forEachCommittedEntry { _ in true } }
    #expect(try !test.workspace.checkIntegrity().isEmpty)
  }

  @Test("A key that is not UTF-8 is compared with the next one") func readingInvalidText() throws {
    let file = try sound()
    try RawDatabase.execute("UPDATE dictionary SET key = CAST(x'63ff' AS TEXT) WHERE key = 'c'", on: file.path)
    try DisorderedRows.arrange("dictionary", of: file.path) { $0.swapAt(1, 2) }
    let test = try file.another()
    expectDisorder { _ = try test.dictionary.entries() }
  }

  @Test("Reading the names of the namespaces is an error: one would come twice") func readingNamespaces() throws {
    let file = try TestWorkspace()
    try file.workspace.transactAndWait { txn in
      txn.dictionary.namespace("a")["k"] = 1
      for key in ["k", "l"] { txn.dictionary.namespace("b")[key] = 1 }
    }
    file.workspace.shutdown(flags: .truncate)
    try DisorderedRows.arrange("dictionary", of: file.path) { $0.swapAt(0, 1) }
    let test = try file.another()
    expectDisorder { _ = try test.dictionary.namespaces() }
  }

  @Test("Reading the change log is an error") func readingLog() throws {
    let test = try TestWorkspace()
    for number in 1...4 { try test.workspace.transactAndWait { txn in txn.dictionary["key"] = number } }
    test.workspace.shutdown(flags: .truncate)
    // The highest number stays the last.
    try DisorderedRows.arrange("dflat_log", of: test.path) { $0.swapAt($0.count - 3, $0.count - 2) }
    let damaged = try test.another()
    expectDisorder { _ = try damaged.workspace.loggedCommits(after: 0) }
    #expect(damaged.dictionary["key"] == 4)
  }
}
