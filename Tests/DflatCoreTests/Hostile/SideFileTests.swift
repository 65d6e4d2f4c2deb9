import DflatKV
import Foundation
import TestSupport
import Testing

@testable import DflatCore

/// The side file's name may lead anywhere: a commit never writes to, creates or waits for another kind of file.
@Suite(.timeLimit(.minutes(15))) struct SideFileTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }
  private var side: String { path + "-dflat" }
  private var victim: String { directory.file("victim") }

  init() throws {
    directory = try TemporaryDirectory("side")
    try Files.makeDatabase(at: path, keys: 1)
  }

  /// Makes commits, and waits until the side file is touched for the last time.
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

  @Test("After its end, a side file is not created again by a touch that comes late") func lateTouch() throws {
    let file = SideFile(databasePath: path)
    file.touch()
    #expect(try isSideFile)
    file.remove()
    file.touch()
    file.make()
    #expect(try !Files.names(in: directory).contains("test.db-dflat"))
  }

  @Test("A symbolic link with the side file's name is replaced, and its target is unchanged")
  func aSymbolicLink() throws {
    try Files.write([1, 2, 3], to: victim)
    #expect(symlink(victim, side) == 0)
    try commit()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [1, 2, 3])
    #expect(try isSideFile, "A side file replaces the link")
  }

  @Test("A symbolic link to the database with the side file's name is replaced")
  func aSymbolicLinkToTheDatabase() throws {
    #expect(symlink(path, side) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test("A dangling link with the side file's name is replaced, and its target isn't created")
  func aLinkThatLeadsNowhere() throws {
    #expect(symlink(victim, side) == 0)
    try commit()
    #expect(!Files.exists(victim), "The link's target is not created")
    #expect(try isSideFile)
  }

  @Test("A hard link with the side file's name is replaced, and the linked file is unchanged")
  func aHardLink() throws {
    try Files.write([7], to: victim)
    #expect(link(victim, side) == 0)
    try commit()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [7])
    #expect(try isSideFile)
  }

  @Test("A hard link to the database with the side file's name is replaced")
  func anotherNameOfTheDatabase() throws {
    #expect(link(path, side) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test("A pipe with the side file's name is replaced")
  func aPipe() throws {
    #expect(mkfifo(side, 0o600) == 0)
    try commit()
    #expect(try isSideFile)
  }

  @Test("A file with content and the side file's name is left unchanged")
  func aFileThatHoldsSomething() throws {
    try Files.write([1, 2], to: side)
    try commit()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.shutdown(flags: .truncate)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: side))) == [1, 2], "The file belongs to someone else")
  }

  @Test("A folder with the side file's name is left in place")
  func aFolder() throws {
    try FileManager.default.createDirectory(atPath: side, withIntermediateDirectories: false)
    try commit()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.shutdown(flags: .truncate)
    #expect(Files.exists(side))
  }

  /// The name of an open side file may lead to another file by the time of the next touch.
  @Test("A link that replaces the open side file is replaced, and its target is unchanged")
  func aLinkThatComesLater() throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 }
    try Files.write([1, 2, 3], to: victim)
    // The first commit's touch may come after its transaction has returned, and recreate the file in between.
    repeat { unlink(side) } while symlink(victim, side) != 0
    try workspace.transactAndWait { txn in txn.dictionary["key0"] = 2 }
    workspace.shutdown()
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: victim))) == [1, 2, 3])
    #expect(try isSideFile)
  }

  // MARK: Other files that are created

  @Test("Opening a database by a dangling link fails and doesn't create the target")
  func aDatabaseWhoseNameIsALinkThatLeadsNowhere() throws {
    let name = directory.file("link.db")
    #expect(symlink(victim, name) == 0)
    let error = try #require(throws: WorkspaceError.self) {
      try SQLiteWorkspace.open(filePath: name, options: .quiet)
    }
    #expect(error.code == .cannotOpen && error.message.contains("link"))
    #expect(!Files.exists(victim))
  }

  @Test("A backup to a dangling link fails and doesn't create the target")
  func aBackupToALinkThatLeadsNowhere() throws {
    let name = directory.file("copy.db")
    #expect(symlink(victim, name) == 0)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    #expect(try errorCode { try workspace.backup(to: name) } == .cannotOpen)
    #expect(!Files.exists(victim))
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: name)
    #expect(target == victim, "The link is unchanged")
    workspace.shutdown()
  }

  @Test("A backup follows a link to a folder")
  func aBackupInALinkedFolder() throws {
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    #expect(symlink(folder, directory.file("linked")) == 0)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.backup(to: directory.file("linked/copy.db"))
    workspace.shutdown()
    #expect(try Files.integer("SELECT count(*) FROM dictionary", on: folder + "/copy.db") == 1)
  }
}
