import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct BackupTests {
  /// The number of keys, whose values fill more than two hundred pages.
  private static let count = 2_000
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }
  private var copy: String { test.directory.file("copy.db") }

  init() throws {
    test = try TestWorkspace()
    try test.workspace.transactAndWait { txn in
      for index in 0..<Self.count { txn.dictionary["key\(index)"] = String(repeating: "v", count: 400) }
    }
  }

  @Test("A backup is a complete workspace of its own")
  func aCopyIsAWholeWorkspace() throws {
    workspace.dictionary["last"] = 1
    try workspace.dictionary.synchronize()
    try workspace.backup(to: copy)
    #expect(try Files.names(in: test.directory).filter { $0.hasPrefix("copy") } == ["copy.db"])
    try workspace.transactAndWait { txn in txn.dictionary.removeAll() }
    let restored = try TestWorkspace.open(copy)
    #expect(restored.dictionary.count == Self.count + 1)
    #expect(restored.dictionary["last", Int.self] == 1)
    #expect(restored.commitNumber == 2)
    #expect(try restored.checkIntegrity() == [])
    try restored.transactAndWait { txn in txn.dictionary["last"] = 2 }
    #expect(restored.commitNumber == 3)
    #expect(workspace.dictionary.count == 0)
    restored.shutdown()
  }

  #if os(Linux)
    @Test("A10: The folder of a backup is synced after the copy's journal is gone") func syncsTheFolder() async throws {
      let folder = await FolderEvents(test.directory.path)
      try workspace.backup(to: copy)
      let events = folder.next()
      #expect(FolderEvents.isFolderOpened(after: .created("copy.db"), in: events), "\(events)")
      #expect(FolderEvents.isFolderOpened(after: .removed("copy.db-journal"), in: events), "\(events)")
    }
  #endif

  @Test("A backup holds one commit while transactions keep writing")
  func underLoad() throws {
    try workspace.transactAndWait { txn in
      txn.dictionary["left"] = 0
      txn.dictionary["zright"] = 0
    }
    let isOver = Gate("the copies are made")
    let writer = BackgroundThread("writer") { [workspace] in
      while !isOver.opened {
        try workspace.transactAndWait { txn in
          txn.dictionary["left", default: 0] += 1
          txn.dictionary["zright", default: 0] += 1
        }
      }
    }
    for index in 0..<5 {
      let path = test.directory.file("copy\(index).db")
      try workspace.backup(to: path)
      let restored = try TestWorkspace.open(path)
      #expect(restored.dictionary["left", Int.self] == restored.dictionary["zright", Int.self])
      #expect(try restored.checkIntegrity() == [])
      restored.shutdown()
    }
    isOver.open()
    try writer.join()
  }

  @Test("A backup doesn't overwrite an existing file")
  func whatIsThereIsNotTouched() throws {
    try Files.write([1, 2, 3], to: copy)
    #expect(try errorCode { try workspace.backup(to: copy) } == .cannotOpen)
    #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == Data([1, 2, 3]))
    #expect(try errorCode { try workspace.backup(to: workspace.filePath) } == .cannotOpen)
    #expect(try errorCode { try workspace.backup(to: test.directory.path) } == .cannotOpen)
    #expect(try errorCode { try workspace.backup(to: test.directory.file("no/folder.db")) } == .cannotOpen)
    #expect(workspace.dictionary.count == Self.count)
  }

  @Test("A backup to a path that contains U+0000 is refused, and creates nothing")
  func aPathThatTheSystemWouldCut() throws {
    #expect(try errorCode { try workspace.backup(to: copy + "\0.db") } == .cannotOpen)
    #expect(!Files.exists(copy))
  }

  @Test("A failed backup leaves no file")
  func unreadablePages() throws {
    workspace.shutdown(flags: .truncate)
    let reader = try TestWorkspace.open(test.path) {
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    defer { reader.shutdown() }
    let plan = try FaultPlan(.read, on: .main, in: test.directory.path, fail: .from(100))
    #expect(try errorCode { try reader.backup(to: copy) } == .inputOutput)
    plan.cancel()
    #expect(try Files.names(in: test.directory).filter { $0.hasPrefix("copy") } == [])
    try reader.backup(to: copy)
  }

  private static func changeAll(_ path: String) throws {
    let writer = try TestWorkspace.open(path)
    try writer.transactAndWait { txn in
      for index in 0..<count { txn.dictionary["key\(index)"] = String(repeating: "w", count: 400) }
    }
    writer.shutdown()
  }

  @Test("A backup of an immutable file that is written meanwhile fails, and leaves no file")
  func immutableFile() throws {
    workspace.shutdown()
    // A read-only workspace that can't open a log takes a file without one for immutable.
    let log = try FaultPlan(.open, on: .wal, in: test.directory.path, fail: .from(1), with: .cannotOpen)
    defer { log.cancel() }
    let reader = try TestWorkspace.open(test.path) {
      $0.isReadOnly = true
      $0.vfs = FaultPlan.vfsName
      $0.followsOtherProcesses = false
    }
    defer { reader.shutdown() }
    let (path, copy, isFirst) = (test.path, self.copy, Lock(true))
    let reads = try FaultPlan(.read, on: .main, in: test.directory.path, at: .from(1)) {
      // The backup has begun, and hasn't read most pages.
      let writes =
        Files.exists(copy)
        && isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
      if writes { #expect(throws: Never.self) { try Self.changeAll(path) } }
      return nil
    }
    #expect(try errorCode { try reader.backup(to: copy) } == .conflict)
    reads.cancel()
    #expect(try Files.names(in: test.directory).filter { $0.hasPrefix("copy") } == [])
    try reader.backup(to: copy)
    let restored = try TestWorkspace.open(copy)
    #expect(restored.commitNumber == 2)
    #expect(try restored.checkIntegrity() == [])
    restored.shutdown()
  }

  @Test("A backup in a snapshot holds the newest commit")
  func inASnapshotItIsOfTheNewestCommit() throws {
    try workspace.fetchWithinASnapshot {
      try workspace.transactAndWait { txn in txn.dictionary["late"] = 1 }
      try workspace.backup(to: copy)
    }
    let restored = try TestWorkspace.open(copy)
    #expect(restored.dictionary["late", Int.self] == 1)
    restored.shutdown()
  }
}
