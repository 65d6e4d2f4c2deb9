import DflatKV
import TestSupport
import Testing

/// The files that `shutdown` leaves.
@Suite struct ShutdownFileTests {
  private func isInRollbackMode(_ path: String) throws -> Bool {
    try Files.text("PRAGMA journal_mode", on: path) == "delete"
  }

  @Test(
    "Shutdown with truncate or vacuum leaves one file in rollback mode",
    arguments: [WorkspaceShutdownFlag.truncate, .vacuum, [.truncate, .vacuum]])
  func oneFileInRollbackMode(flags: WorkspaceShutdownFlag) throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 500) }
    }
    _ = test.workspace.dictionary.keys
    test.workspace.shutdown(flags: flags)
    #expect(try Files.names(in: test.directory) == ["test.db"])
    #expect(try isInRollbackMode(test.path))
    let again = try TestWorkspace.open(test.path)
    #expect(again.dictionary.count == 500)
    #expect(again.commitNumber == 1)
    try again.transactAndWait { txn in txn.dictionary["key0"] = 1 }
    again.shutdown(flags: flags)
    #expect(try Files.names(in: test.directory) == ["test.db"])
  }

  @Test("Shutdown with truncate leaves free pages in the file")
  func truncatingIsNotCompacting() throws {
    #expect(WorkspaceShutdownFlag.truncate.isDisjoint(with: .vacuum))
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 500) }
    }
    try test.workspace.transactAndWait { txn in txn.dictionary.removeAll() }
    test.workspace.shutdown(flags: .truncate)
    #expect(try Files.integer("PRAGMA freelist_count", on: test.path) > 10)
  }

  @Test("Shutdown with vacuum removes free pages from the file")
  func vacuumGivesFreePagesBack() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 1_000) }
    }
    try test.workspace.transactAndWait { txn in txn.dictionary.removeAll() }
    #expect(try test.workspace.fileStatistics().freePages > 50)
    test.workspace.shutdown(flags: .vacuum)
    #expect(try Files.integer("PRAGMA freelist_count", on: test.path) == 0)
    #expect(try Files.integer("PRAGMA page_count", on: test.path) < 20)
  }

  @Test("Shutdown of a lazy workspace truncates a file that another workspace wrote")
  func aLazyWorkspaceLeavesOneFileOfAnothersToo() throws {
    let test = try TestWorkspace()
    test.workspace.dictionary["key"] = 1
    test.workspace.shutdown()
    let lazy = SQLiteWorkspace(filePath: test.path, fileProtectionLevel: .noProtection)
    lazy.shutdown(flags: .truncate)
    #expect(try Files.names(in: test.directory) == ["test.db"])
    #expect(try isInRollbackMode(test.path))
    #expect(try test.stored("key") == 1)
  }

  @Test("A failed compaction at shutdown reaches the error handler and leaves the data intact")
  func vacuumFails() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    let plan = try FaultPlan(.write, in: test.directory.path, fail: .from(1), with: .full)
    test.workspace.shutdown(flags: .vacuum)
    plan.cancel()
    #expect(test.errors.events.map(\.code) == [.diskFull])
    #expect(test.errors.events.first?.message.hasPrefix("Compacting '") == true)
    #expect(try test.stored("key") == 1)
  }

  @Test("A failed truncation at shutdown reaches the error handler and leaves the data intact")
  func truncatingFails() throws {
    let test = try TestWorkspace { $0.vfs = FaultPlan.vfsName }
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    let plan = try FaultPlan(.write, on: .main, in: test.directory.path, fail: .from(1), with: .ioErrorWrite)
    test.workspace.shutdown(flags: .truncate)
    plan.cancel()
    #expect(test.errors.events.map(\.code) == [.inputOutput])
    #expect(test.errors.events.first?.message.hasPrefix("Moving the write-ahead log into '") == true)
    #expect(try test.stored("key") == 1)
  }

  @Test(
    "Shutdown keeps the log and side file while another workspace has the file open",
    arguments: [WorkspaceShutdownFlag.truncate, .vacuum])
  func anotherHasItOpen(flags: WorkspaceShutdownFlag) throws {
    let test = try TestWorkspace { $0.busyTimeout = .milliseconds(20) }
    let other = try TestWorkspace.open(test.path)
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(other.fetchWithinASnapshot { other.dictionary["key", Int.self] } == 1)
    test.workspace.shutdown(flags: flags)
    #expect(test.errors.events.isEmpty)
    let names = try Files.names(in: test.directory)
    #expect(names.contains("test.db-dflat"))
    #expect(names.contains("test.db-wal"))
    try other.transactAndWait { txn in txn.dictionary["key", default: 0] += 1 }
    #expect(try test.stored("key") == 2)
    other.shutdown(flags: flags)
    #expect(try Files.names(in: test.directory) == ["test.db"])
    #expect(try test.stored("key") == 2)
  }

  @Test(
    "Shutdown doesn't wait for another workspace on the file",
    arguments: [WorkspaceShutdownFlag.truncate, [.truncate, .vacuum]])
  func waitsForNobody(flags: WorkspaceShutdownFlag) throws {
    let test = try TestWorkspace { $0.busyTimeout = .seconds(3_600) }
    let other = try TestWorkspace.open(test.path)
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(other.dictionary["key", Int.self] == 1)
    try BackgroundThread { test.workspace.shutdown(flags: flags) }.join()
    try other.transactAndWait { txn in txn.dictionary["key", default: 0] += 1 }
    other.shutdown(flags: flags)
    #expect(try Files.names(in: test.directory) == ["test.db"])
    #expect(try test.stored("key") == 2)
  }

  @Test("Another workspace's snapshot survives a shutdown")
  func anotherReads() throws {
    let test = try TestWorkspace { $0.busyTimeout = .milliseconds(20) }
    let other = try TestWorkspace.open(test.path)
    try test.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    other.fetchWithinASnapshot {
      test.workspace.shutdown(flags: [.truncate, .vacuum])
      #expect(other.dictionary["key", Int.self] == 1)
    }
    #expect(try other.checkIntegrity() == [])
  }
}
