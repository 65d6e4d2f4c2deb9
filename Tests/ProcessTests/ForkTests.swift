import DflatKV
import TestSupport
import Testing

/// A process that forks while it has a workspace open.
@Suite struct ForkTests {
  //  parent  ──1──fork────────────────────────wait──2──3──▶ unharmed
  //  child          ──every entry point: .forked──▶
  @Test("A forked child is refused everywhere and leaves its parent's workspace unharmed")
  func forkedChild() throws {
    let folder = try TemporaryDirectory()
    let process = try worker("fork", folder.file())
    #expect(
      try process.remainingLines() == ["initial(nil)", "child 0", "updated(2)", "updated(3)", "parent 3"],
      "\(process.standardError)")
    #expect(try process.wait() == .exit(0))
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    #expect(workspace.dictionary["before"] == 1)
    #expect(workspace.dictionary["after"] == 3)
    #expect(workspace.commitNumber == 3)
    #expect(try workspace.checkIntegrity() == [])
    workspace.shutdown()
  }

  //  parent   threads that take every lock, all the time ─ fork ─ fork ─ …
  //  child                                                  └─ every entry point: .forked
  @Test("A child is refused all use of the library, even if it is forked while threads take locks")
  func forkedBusily() throws {
    let folder = try TemporaryDirectory()
    let process = try worker("fork-busy", folder.path, "200")
    let lines = try process.remainingLines()
    #expect(lines == ["children 200"], "\(process.standardError)")
    #expect(try process.wait() == .exit(0))
  }

  //  parent  transaction ─ fork ─ commits
  //  child                 └─ its closure goes on, and ends: .forked
  @Test("A child that is forked in a transaction's closure commits nothing")
  func forkedInAClosure() throws {
    let folder = try TemporaryDirectory()
    let process = try worker("fork-inside", folder.file())
    #expect(try process.remainingLines() == ["forked", "child 0", "committed"], "\(process.standardError)")
    #expect(try process.wait() == .exit(0))
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    #expect(workspace.dictionary.keys == ["before", "parent"])
    #expect(workspace.commitNumber == 1)
    workspace.shutdown()
  }
}
