import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct FilePathTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("paths") }

  @Test(
    "Special characters in a file's name have no special meaning",
    arguments: [
      "with spaces.db", "what?.db", "100%.db", "%41.db", "a#b.db", "é—漢字 🎈.db", "a&b=c?mode=memory", "file:x.db",
      ":memory:",
      "quo'te\"s.db", "back\\slash", "line\nbreak", "no-extension",
    ])
  func everyNameIsAFilesName(name: String) throws {
    let path = directory.file(name)
    let first = try SQLiteWorkspace.open(filePath: path)
    first.dictionary["key"] = name
    try first.dictionary.synchronize()
    let second = try SQLiteWorkspace.open(filePath: path)
    #expect(second.dictionary["key", String.self] == name)
    second.shutdown()
    first.shutdown(flags: .truncate)
    #expect(try Files.names(in: directory) == [name])
    #expect(first.filePath == path)
  }

  @Test("Only the owner can read and write new files")
  func newFilesAreTheirOwnersAlone() throws {
    let workspace = try SQLiteWorkspace.open(filePath: directory.file())
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    let names = try Files.names(in: directory)
    #expect(names == ["test.db", "test.db-dflat", "test.db-shm", "test.db-wal"])
    for name in names { #expect(try Files.mode(of: directory.file(name)) == 0o600, "\(name)") }
    try workspace.backup(to: directory.file("copy.db"))
    #expect(try Files.mode(of: directory.file("copy.db")) == 0o600)
  }

  @Test("An existing file keeps its permissions")
  func aFileThatIsThereKeepsItsMode() throws {
    try Files.makeDatabase(at: directory.file())
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.file())
    let workspace = try SQLiteWorkspace.open(filePath: directory.file())
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    #expect(try Files.mode(of: directory.file()) == 0o640)
  }

  @Test("In-memory workspaces share nothing and leave no files")
  func inMemoryWorkspacesAreApartAndLeaveNothing() throws {
    let first = try SQLiteWorkspace.inMemory()
    let second = try SQLiteWorkspace.inMemory()
    // The file exists from the start; otherwise `inMemory()` throws the reason.
    #expect(Files.exists(first.filePath))
    first.dictionary["key"] = 1
    try first.dictionary.synchronize()
    #expect(second.dictionary["key", Int.self] == nil)
    let folder = URL(fileURLWithPath: first.filePath).deletingLastPathComponent().path
    #expect(Files.exists(folder))
    first.shutdown()
    #expect(!Files.exists(folder))
    second.shutdown()
  }

  @Test("An in-memory workspace leaves no folder, even if threads read until its shutdown ends")
  func nothingIsLeftOpen() throws {
    for _ in 0..<40 {
      let workspace = try SQLiteWorkspace.inMemory()
      let folder = URL(fileURLWithPath: workspace.filePath).deletingLastPathComponent().path
      let readers = (0..<2).map { index in
        BackgroundThread("reader \(index)") {
          var key = 0
          while case .success = Result(catching: { try workspace.dictionary.value(forKey: "\(key)", as: Int.self) }) {
            key += 1
          }
        }
      }
      workspace.dictionary["key"] = 1
      workspace.shutdown()
      #expect(!Files.exists(folder))
      for reader in readers { try reader.join() }
    }
  }

  /// The side file and the log belong to the file, under any of its names: `link` and `real` wake each other.
  @Test("A9: Workspaces that open a file by two names share one log and side file")
  func twoNames() throws {
    let real = directory.file("real.db")
    let link = directory.file("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
    let first = try SQLiteWorkspace.open(filePath: real)
    let second = try SQLiteWorkspace.open(filePath: link)
    #expect(second.filePath == link)
    let seen = EventLog<Int>()
    let subscription = second.dictionary.subscribe("key", of: Int.self) { change in
      if case .updated(let value) = change { seen.append(value) }
    }
    for value in 1...20 { try first.transactAndWait { txn in txn.dictionary["key"] = value } }
    #expect(try seen.wait(forCount: 20) == Array(1...20))
    try second.transactAndWait { txn in txn.dictionary["key"] = 21 }
    #expect(try first.transactAndWait { txn in txn.dictionary["key", Int.self] } == 21)
    #expect(try second.fileStatistics().walBytes > 0)
    #expect(try Files.names(in: directory) == ["link.db", "real.db", "real.db-dflat", "real.db-shm", "real.db-wal"])
    subscription.cancel()
    second.shutdown()
    first.shutdown(flags: .truncate)
    #expect(try Files.names(in: directory) == ["link.db", "real.db"])
  }

  /// A link may be older than its file. Once another program has created the file, both use the same files beside it.
  @Test(
    "A9: Workspaces on a file, and on a link that is older than the file, share one log and side file",
    arguments: [["real.db"], ["./other.db", "real.db"]])
  func linkToMissingFile(targets: [String]) throws {
    let real = directory.file("real.db")
    let link = directory.file("link.db")
    // A link may lead to another one. The targets are relative to the folder.
    for (name, target) in zip(["link.db", "other.db"], targets) {
      #expect(symlink(target, directory.file(name)) == 0)
    }
    let first = SQLiteWorkspace(filePath: link, options: .quiet)
    #expect(try errorCode { try first.transactAndWait { txn in txn.dictionary["key"] = 0 } } == .cannotOpen)
    #expect(!Files.exists(real))
    let second = try SQLiteWorkspace.open(filePath: real)
    let seen = EventLog<Int>()
    let subscription = first.dictionary.subscribe("key", of: Int.self) { change in
      if case .updated(let value) = change { seen.append(value) }
    }
    for value in 1...20 { try second.transactAndWait { txn in txn.dictionary["key"] = value } }
    #expect(try seen.wait(forCount: 20) == Array(1...20))
    try first.transactAndWait { txn in txn.dictionary["key"] = 21 }
    #expect(try second.transactAndWait { txn in txn.dictionary["key", Int.self] } == 21)
    let beside = try Files.names(in: directory).filter { $0.contains(".db-") }
    #expect(beside == ["real.db-dflat", "real.db-shm", "real.db-wal"])
    subscription.cancel()
    first.shutdown()
    second.shutdown(flags: .truncate)
    #expect(try Files.names(in: directory).filter { $0.contains(".db-") } == [])
  }

  @Test("A file whose name begins with a combining character is in the folder that its path names")
  func combiningCharacter() throws {
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(symlink("folder", directory.file("linked")) == 0)
    let workspace = try SQLiteWorkspace.open(filePath: directory.file("linked/\u{301}.db"))
    try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 }
    #expect(Array(workspace.core.file.location.utf8) == Array("\(folder)/\u{301}.db".utf8))
    workspace.shutdown()
  }

  /// Programs that start at once all try to create the tables. None may mistake another's tables for those of a foreign
  /// program.
  @Test("Several threads can create the same new file at once")
  func manyMakers() throws {
    for round in 0..<40 {
      let path = directory.file("new-\(round).db")
      let barrier = Barrier(parties: 4)
      let makers = (0..<4).map { index in
        BackgroundThread("maker \(index)") {
          try barrier.arriveAndWait()
          let workspace = try SQLiteWorkspace.open(filePath: path)
          try workspace.transactAndWait { txn in txn.dictionary["maker\(index)"] = true }
          workspace.shutdown()
        }
      }
      for maker in makers { try maker.join() }
      let workspace = try SQLiteWorkspace.open(filePath: path)
      #expect(workspace.dictionary.count == 4)
      #expect(workspace.commitNumber == 4)
      workspace.shutdown()
    }
  }
}
