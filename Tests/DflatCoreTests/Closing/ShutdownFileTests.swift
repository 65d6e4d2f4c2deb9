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
    let bench = try Bench()
    try bench.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 500) }
    }
    _ = bench.workspace.dictionary.keys
    bench.workspace.shutdown(flags: flags)
    #expect(try Files.names(in: bench.directory) == ["test.db"])
    #expect(try isInRollbackMode(bench.path))
    let again = try bench.other()
    #expect(again.dictionary.count == 500)
    #expect(again.commitNumber == 1)
    try again.transactAndWait { txn in txn.dictionary["key0"] = 1 }
    again.shutdown(flags: flags)
    #expect(try Files.names(in: bench.directory) == ["test.db"])
  }

  @Test("Shutdown with truncate leaves free pages in the file")
  func truncatingIsNotCompacting() throws {
    #expect(WorkspaceShutdownFlag.truncate.isDisjoint(with: .vacuum))
    let bench = try Bench()
    try bench.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 500) }
    }
    try bench.workspace.transactAndWait { txn in txn.dictionary.removeAll() }
    bench.workspace.shutdown(flags: .truncate)
    #expect(try Files.integer("PRAGMA freelist_count", on: bench.path) > 10)
  }

  @Test("Shutdown with vacuum removes free pages from the file")
  func vacuumGivesFreePagesBack() throws {
    let bench = try Bench()
    try bench.workspace.transactAndWait { txn in
      for index in 0..<500 { txn.dictionary["key\(index)"] = String(repeating: "x", count: 1_000) }
    }
    try bench.workspace.transactAndWait { txn in txn.dictionary.removeAll() }
    #expect(try bench.workspace.fileStatistics().freePages > 50)
    bench.workspace.shutdown(flags: .vacuum)
    #expect(try Files.integer("PRAGMA freelist_count", on: bench.path) == 0)
    #expect(try Files.integer("PRAGMA page_count", on: bench.path) < 20)
  }

  @Test("Shutdown of a lazy workspace truncates a file that another workspace wrote")
  func aLazyWorkspaceLeavesOneFileOfAnothersToo() throws {
    let bench = try Bench()
    bench.workspace.dictionary["key"] = 1
    bench.workspace.shutdown()
    let lazy = SQLiteWorkspace(filePath: bench.path, fileProtectionLevel: .noProtection)
    lazy.shutdown(flags: .truncate)
    #expect(try Files.names(in: bench.directory) == ["test.db"])
    #expect(try isInRollbackMode(bench.path))
    #expect(try bench.stored("key") == 1)
  }

  @Test("A failed compaction at shutdown reaches the error handler and leaves the data intact")
  func vacuumFails() throws {
    let reported = EventLog<WorkspaceError>()
    let bench = try Bench { options in
      options.vfs = FaultPlan.vfsName
      options.errorHandler = { reported.append($0) }
    }
    try bench.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    let plan = try FaultPlan(.write, in: bench.directory.path, fail: .from(1), with: .full)
    bench.workspace.shutdown(flags: .vacuum)
    plan.cancel()
    #expect(reported.events.map(\.code) == [.diskFull])
    #expect(reported.events.first?.message.hasPrefix("Compacting '") == true)
    #expect(try bench.stored("key") == 1)
  }

  @Test("A failed truncation at shutdown reaches the error handler and leaves the data intact")
  func truncatingFails() throws {
    let reported = EventLog<WorkspaceError>()
    let bench = try Bench { options in
      options.vfs = FaultPlan.vfsName
      options.errorHandler = { reported.append($0) }
    }
    try bench.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    let plan = try FaultPlan(.write, on: .main, in: bench.directory.path, fail: .from(1), with: .ioErrorWrite)
    bench.workspace.shutdown(flags: .truncate)
    plan.cancel()
    #expect(reported.events.map(\.code) == [.inputOutput])
    #expect(reported.events.first?.message.hasPrefix("Moving the write-ahead log into '") == true)
    #expect(try bench.stored("key") == 1)
  }

  @Test(
    "Shutdown keeps the log and side file while another workspace has the file open",
    arguments: [WorkspaceShutdownFlag.truncate, .vacuum])
  func anotherHasItOpen(flags: WorkspaceShutdownFlag) throws {
    let reported = EventLog<WorkspaceError>()
    let bench = try Bench { options in
      options.busyTimeout = .milliseconds(20)
      options.errorHandler = { reported.append($0) }
    }
    let other = try bench.other()
    try bench.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(other.fetchWithinASnapshot { other.dictionary["key", Int.self] } == 1)
    bench.workspace.shutdown(flags: flags)
    #expect(reported.events.isEmpty)
    let names = try Files.names(in: bench.directory)
    #expect(names.contains("test.db-dflat"))
    #expect(names.contains("test.db-wal"))
    try other.transactAndWait { txn in txn.dictionary["key", default: 0] += 1 }
    #expect(try bench.stored("key") == 2)
    other.shutdown(flags: flags)
    #expect(try Files.names(in: bench.directory) == ["test.db"])
    #expect(try bench.stored("key") == 2)
  }

  @Test(
    "Shutdown doesn't wait for another workspace on the file",
    arguments: [WorkspaceShutdownFlag.truncate, [.truncate, .vacuum]])
  func waitsForNobody(flags: WorkspaceShutdownFlag) throws {
    let bench = try Bench { $0.busyTimeout = .seconds(3_600) }
    let other = try bench.other()
    try bench.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(other.dictionary["key", Int.self] == 1)
    try BackgroundThread { bench.workspace.shutdown(flags: flags) }.join()
    try other.transactAndWait { txn in txn.dictionary["key", default: 0] += 1 }
    other.shutdown(flags: flags)
    #expect(try Files.names(in: bench.directory) == ["test.db"])
    #expect(try bench.stored("key") == 2)
  }

  @Test("Another workspace's snapshot survives a shutdown")
  func anotherReads() throws {
    let bench = try Bench { $0.busyTimeout = .milliseconds(20) }
    let other = try bench.other()
    try bench.workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    other.fetchWithinASnapshot {
      bench.workspace.shutdown(flags: [.truncate, .vacuum])
      #expect(other.dictionary["key", Int.self] == 1)
    }
    #expect(try other.checkIntegrity() == [])
  }
}
