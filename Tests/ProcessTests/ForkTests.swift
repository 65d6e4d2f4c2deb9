import DflatKV
import TestSupport
import Testing

/// A process that forks while it has a workspace open.
@Suite struct ForkTests {
  //  parent  ──1──fork────────────────────────wait──2──3──▶ unharmed
  //  child          ──every entry point: .forked──▶
  @Test("a forked child is refused everywhere, and harms nothing of its parent's")
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
}
