import DflatKV
import Foundation
import TestSupport
import Testing

/// The side file's name may lead anywhere: a commit never writes to, makes, or waits for what isn't a side file.
@Suite(.timeLimit(.minutes(1))) struct SideFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }
  private var side: String { path + "-dflat" }
  private var victim: String { directory.file("victim") }

  init() throws {
    directory = try TemporaryDirectory("side")
    try Files.makeDatabase(at: path, keys: 1)
  }

  /// Commits, and waits until the last touch was made.
  private func commit() throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    for index in 0..<3 { try workspace.transactAndWait { txn in txn.dictionary["key0"] = index } }
    workspace.shutdown()
    #expect(try Files.integer("SELECT value FROM dictionary", on: path) == 2)
  }

  private var isSideFile: Bool {
    get throws {
      var status = stat()
      return lstat(side, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
        && status.st_size == 1
    }
  }

  @Test func aSymbolicLink() throws {
    try Files.write([1, 2, 3], to: victim)
    #expect(symlink(victim, side) == 0)
    try commit()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [1, 2, 3])
    #expect(try isSideFile, "it is replaced")
  }

  @Test func aSymbolicLinkToTheDatabase() throws {
    #expect(symlink(path, side) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test func aLinkThatLeadsNowhere() throws {
    #expect(symlink(victim, side) == 0)
    try commit()
    #expect(!Files.exists(victim), "its target is not made")
    #expect(try isSideFile)
  }

  @Test func aHardLink() throws {
    try Files.write([7], to: victim)
    #expect(link(victim, side) == 0)
    try commit()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [7])
    #expect(try isSideFile)
  }

  @Test func anotherNameOfTheDatabase() throws {
    #expect(link(path, side) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test func aPipe() throws {
    #expect(mkfifo(side, 0o600) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test func aFileThatHoldsSomething() throws {
    try Files.write([1, 2], to: side)
    try commit()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.shutdown(flags: .truncate)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: side))) == [1, 2], "it is somebody's")
  }

  @Test func aFolder() throws {
    try FileManager.default.createDirectory(atPath: side, withIntermediateDirectories: false)
    try commit()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.shutdown(flags: .truncate)
    #expect(Files.exists(side))
  }

  /// What was a side file when it was opened may be another's name when it is touched next.
  @Test func aLinkThatComesLater() throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 }
    try Files.write([1, 2, 3], to: victim)
    // The first commit's touch may come after its transaction has returned, and make the file in between.
    repeat { unlink(side) } while symlink(victim, side) != 0
    try workspace.transactAndWait { txn in txn.dictionary["key0"] = 2 }
    workspace.shutdown()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [1, 2, 3])
    #expect(try isSideFile)
  }

  // MARK: Other files that are made

  @Test func aDatabaseWhoseNameIsALinkThatLeadsNowhere() throws {
    let name = directory.file("link.db")
    #expect(symlink(victim, name) == 0)
    let error = try #require(throws: WorkspaceError.self) {
      try SQLiteWorkspace.open(filePath: name, options: .quiet)
    }
    #expect(error.code == .cannotOpen && error.message.contains("link"))
    #expect(!Files.exists(victim))
  }

  @Test func aBackupToALinkThatLeadsNowhere() throws {
    let name = directory.file("copy.db")
    #expect(symlink(victim, name) == 0)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    #expect(try errorCode { try workspace.backup(to: name) } == .cannotOpen)
    #expect(!Files.exists(victim))
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: name)
    #expect(target == victim, "the link is left as it is")
    workspace.shutdown()
  }

  @Test func aBackupInALinkedFolder() throws {
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(symlink(folder, directory.file("linked")) == 0)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.backup(to: directory.file("linked/copy.db"))
    workspace.shutdown()
    #expect(try Files.integer("SELECT count(*) FROM dictionary", on: folder + "/copy.db") == 1)
  }
}
