import DflatKV
import TestSupport
import Testing

@Suite struct CompactionTests {
  @Test("Compaction removes free pages from the file")
  func freePagesAreGivenBack() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.transactAndWait { txn in
      for index in 0..<1_000 { txn.dictionary["key\(index)"] = String(repeating: "v", count: 1_000) }
      txn.dictionary["kept"] = 1
    }
    try workspace.compact()
    let full = try workspace.fileStatistics()
    #expect(full.commitNumber == 1)
    #expect(full.formatVersion == 1)
    #expect(full.fileBytes == Int64(full.pageSize * full.pageCount))
    try workspace.transactAndWait { txn in txn.dictionary.removeAll(withPrefix: "key") }
    #expect(try workspace.fileStatistics().freePages > full.pageCount / 2)
    let seen = workspace.fetchWithinASnapshot { workspace.dictionary["kept", Int.self] }
    let result = try workspace.compact()
    #expect(seen == 1)
    #expect(result.bytesAfter < result.bytesBefore / 2)
    let small = try workspace.fileStatistics()
    #expect(small.freePages == 0)
    #expect(small.fileBytes == result.bytesAfter)
    #expect(workspace.dictionary.keys == ["kept"])
    #expect(try test.stored("kept") == 1)
  }

  @Test("Compaction loses nothing while transactions read and write")
  func underLoad() throws {
    let test = try TestWorkspace()
    let other = try TestWorkspace.open(test.path)
    let isOver = Gate("compacted")
    let writers = [test.workspace, other].enumerated().map { index, writer in
      BackgroundThread("writer \(index)") {
        var count = 0
        while !isOver.opened {
          try writer.transactAndWait { txn in txn.dictionary["count\(index)", default: 0] += 1 }
          #expect(writer.fetchWithinASnapshot { writer.dictionary["count\(index)", Int.self] } == count + 1)
          count += 1
        }
        return count
      }
    }
    for _ in 0..<10 { try test.workspace.compact() }
    isOver.open()
    for (index, writer) in writers.enumerated() { #expect(try writer.join() == test.stored("count\(index)")) }
    #expect(try other.checkIntegrity() == [])
  }

  /// Creates a file with another program's table, and then changes the table's definition.
  private func makeForeignTable(_ sql: String, _ change: String) throws -> TemporaryDirectory {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in txn.dictionary["kept"] = 1 }
    test.workspace.shutdown()
    let file = try RawDatabase(test.path)
    try file.execute(sql)
    try file.execute("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET \(change)")
    return test.directory
  }

  /// Changes the definition of a table and compacts its file on a full disk. Returns the error.
  private func compactOnFullDisk(after change: String) throws -> WorkspaceError.Code {
    let directory = try makeForeignTable("CREATE TABLE extra (a, b); INSERT INTO extra VALUES (1, NULL)", change)
    let workspace = try TestWorkspace.open(directory.file()) { $0.vfs = FaultPlan.vfsName }
    defer { workspace.shutdown() }
    let plan = try FaultPlan(.write, on: .wal, in: directory.path, fail: .from(1), with: .full)
    let code = try errorCode { try workspace.compact() }
    plan.cancel()
    #expect(workspace.dictionary["kept", Int.self] == 1)
    return code
  }

  @Test("Compaction reports a full disk")
  func fullDisk() throws { #expect(try compactOnFullDisk(after: "name = name") == .diskFull) }

  /// SQLite also reports a full disk for a damaged file, which refers to pages that don't exist.
  @Test("Compaction distinguishes a damaged file from a full disk")
  func damagedFile() throws {
    let damage = "sql = 'CREATE TABLE extra (a, b NOT NULL)' WHERE name = 'extra'"
    #expect(try compactOnFullDisk(after: damage) == .corrupt)
  }

  @Test("Compaction reports a damaged table definition as corrupt and keeps the data")
  func changedDefinition() throws {
    let directory = try makeForeignTable(
      "CREATE TABLE extra (a); INSERT INTO extra VALUES (1); CREATE INDEX broken ON extra (a)",
      "sql = 'CREATE INDEX broken ON extra (missing(a))' WHERE name = 'broken'")
    let workspace = try TestWorkspace.open(directory.file())
    defer { workspace.shutdown() }
    let error = #expect(throws: WorkspaceError.self) { try workspace.compact() }
    #expect(
      error?.code == .corrupt && error?.message.contains("was left unchanged") == true, "\(String(describing: error))")
    #expect(workspace.dictionary["kept", Int.self] == 1)
  }
}
