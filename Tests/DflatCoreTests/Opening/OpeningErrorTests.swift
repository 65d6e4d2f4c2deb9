import DflatKV
import Foundation
import TestSupport
import Testing

/// Each reason that a file can't be opened has its own code, which is the same for `open` and for lazy opening.
@Suite struct OpeningErrorTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws { directory = try TemporaryDirectory("opening") }

  private func code(
    _ path: String, _ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> WorkspaceError.Code {
    var options = SQLiteWorkspace.Options.quiet
    change(&options)
    return try errorCode { [options] in _ = try SQLiteWorkspace.open(filePath: path, options: options) }
  }

  /// Returns the code that `transactAndWait` and `synchronize()` throw in a workspace that opens lazily, and checks
  /// that a completion gets false.
  private func lazyCode(_ path: String) throws -> WorkspaceError.Code {
    let workspace = SQLiteWorkspace(filePath: path, fileProtectionLevel: .noProtection)
    let completions = EventLog<Bool>()
    workspace.performChanges([]) { txn in
      txn.dictionary["key"] = 1
    } completionHandler: {
      completions.append($0)
    }
    #expect(try completions.wait(forCount: 1) == [false])
    let code = try errorCode { try workspace.transactAndWait { txn in txn.dictionary["key"] = 1 } }
    workspace.dictionary["key"] = 1
    #expect(try errorCode { try workspace.dictionary.synchronize() } == code)
    #expect(workspace.dictionary["key", Int.self] == nil, "A failed write is not shown")
    workspace.shutdown()
    return code
  }

  private func expectBoth(_ code: WorkspaceError.Code, at path: String) throws {
    #expect(try self.code(path) == code)
    #expect(try lazyCode(path) == code)
  }

  @Test("Opening a folder fails with isDirectory")
  func aFolder() throws { try expectBoth(.isDirectory, at: directory.path) }

  @Test("Opening a file in a missing folder fails with cannotOpen")
  func aFolderThatIsNotThere() throws { try expectBoth(.cannotOpen, at: directory.file("no/such/folder.db")) }

  @Test("Opening a file whose folder is a file fails with cannotOpen")
  func aFolderThatIsAFile() throws {
    try Files.write([1], to: path)
    try expectBoth(.cannotOpen, at: path + "/test.db")
  }

  @Test("Opening an empty path fails with cannotOpen")
  func anEmptyName() throws { #expect(try code("") == .cannotOpen) }

  /// The system's strings end at U+0000, so what precedes it would be opened or created.
  @Test(
    "A path that contains U+0000 is refused with cannotOpen, and nothing is created or changed",
    arguments: ["", ".db", "/other.db"])
  func aPathThatTheSystemWouldCut(rest: String) throws {
    let suffix = "\0" + rest
    try expectBoth(.cannotOpen, at: path + suffix)
    #expect(try code(path + suffix) { $0.isReadOnly = true } == .cannotOpen)
    #expect(try Files.names(in: directory) == [])
    // The file that precedes the character.
    try Files.makeDatabase(at: path)
    try expectBoth(.cannotOpen, at: path + suffix)
    #expect(try code(path + suffix) { $0.isReadOnly = true } == .cannotOpen)
    let workspace = SQLiteWorkspace(filePath: path + suffix, options: .quiet)
    #expect(workspace.dictionary["key0", Int.self] == nil)
    #expect(try errorCode { try workspace.compact() } == .cannotOpen)
    #expect(try errorCode { _ = try workspace.fileStatistics() } == .cannotOpen)
    workspace.shutdown(flags: .truncate)
    #expect(try Files.names(in: directory) == ["test.db"])
    #expect(try Files.integer("SELECT value FROM dictionary", on: path) == 0)
  }

  @Test("Opening a file that is not a database fails with notADatabase and leaves it unchanged")
  func bytesThatAreNoDatabase() throws {
    let letter = [UInt8]("This is a letter, and no database, however long it gets.".utf8)
    let bytes = letter + [UInt8](repeating: 7, count: 8_192)
    try Files.write(bytes, to: path)
    try expectBoth(.notADatabase, at: path)
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == bytes, "The file is unchanged")
    #expect(try Files.names(in: directory) == [URL(fileURLWithPath: path).lastPathComponent])
  }

  @Test("Opening a database with a damaged schema fails with corrupt")
  func aDatabaseWhoseSchemaIsDamaged() throws {
    try Files.makeDatabase(at: path, keys: 200)
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for index in 100..<4_096 { bytes[index] = 0xa5 }
    try Files.write(bytes, to: path)
    try expectBoth(.corrupt, at: path)
  }

  @Test("Opening a file of a newer format fails with newerFormat and leaves its data intact")
  func aFileOfANewerFormat() throws {
    try Files.makeDatabase(at: path)
    try Files.execute("PRAGMA user_version = 9", on: path)
    try expectBoth(.newerFormat, at: path)
    #expect(try code(path) { $0.isReadOnly = true } == .newerFormat)
    try Files.execute("PRAGMA user_version = 1", on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    #expect(workspace.dictionary["key0", Int.self] == 0, "The data is intact")
  }

  @Test(
    "Opening another program's database fails and leaves it unchanged",
    arguments: [
      "CREATE TABLE notes (text)", "PRAGMA application_id = 252006674", "PRAGMA user_version = 3; CREATE TABLE t (a)",
    ])
  func aDatabaseOfAnotherProgram(sql: String) throws {
    try Files.write([], to: path)
    try Files.execute(sql, on: path)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    try expectBoth(.foreignDatabase, at: path)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before, "The file is unchanged")
  }

  @Test("Neither createsFile = false nor a read-only workspace creates a missing file")
  func aMissingFileThatIsNotToBeMade() throws {
    #expect(try code(path) { $0.createsFile = false } == .noSuchFile)
    #expect(try code(path) { $0.isReadOnly = true } == .noSuchFile)
    #expect(!Files.exists(path))
    try Files.makeDatabase(at: path)
    var options = SQLiteWorkspace.Options.quiet
    options.createsFile = false
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    workspace.dictionary["key0"] = 5
    try workspace.dictionary.synchronize()
  }

  @Test("A writable workspace turns an empty file into its own")
  func anEmptyFileIsMadeOneOfOurs() throws {
    try Files.write([], to: path)
    #expect(try code(path) { $0.isReadOnly = true } == .noSuchFile)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    workspace.dictionary["key"] = 1
    try workspace.dictionary.synchronize()
    #expect(try workspace.fileStatistics().formatVersion == 1)
  }

  @Test("A read-only workspace reads, and refuses every write with readOnly")
  func aReadOnlyWorkspaceReadsAndRefusesToWrite() throws {
    try Files.makeDatabase(at: path, keys: 3)
    let reported = EventLog<WorkspaceError>()
    var options = SQLiteWorkspace.Options.quiet
    options.isReadOnly = true
    options.errorHandler = { reported.append($0) }
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    #expect(workspace.dictionary["key2", Int.self] == 2)
    #expect(workspace.dictionary.keys == ["key0", "key1", "key2"])
    #expect(workspace.fetchWithinASnapshot { workspace.dictionary["key1", Int.self] } == 1)
    #expect(try errorCode { try workspace.transactAndWait { txn in txn.dictionary["key0"] = 9 } } == .readOnly)
    workspace.dictionary["key0"] = 9
    #expect(try errorCode { try workspace.dictionary.synchronize() } == .readOnly)
    #expect(workspace.dictionary["key0", Int.self] == 0)
    #expect(try reported.wait(forCount: 1).first?.code == .readOnly)
    #expect(try errorCode { try workspace.compact() } == .readOnly)
    workspace.shutdown(flags: [.truncate, .vacuum])
    #expect(try Files.integer("SELECT count(*) FROM dictionary", on: path) == 3)
  }

  @Test("An opening error names its code and the file, and says what to do")
  func theErrorNamesTheFileAndWhatToDo() throws {
    let error = try #require(throws: WorkspaceError.self) {
      try SQLiteWorkspace.open(filePath: directory.path, options: .quiet)
    }
    #expect(error.path == directory.path)
    #expect(error.message.contains(directory.path))
    #expect(error.message.hasSuffix("is a folder; give the path of a file in it."))
    #expect(error.description.hasPrefix("isDirectory: "))
  }
}
