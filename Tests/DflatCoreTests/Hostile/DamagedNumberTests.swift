import DflatKV
import Foundation
import TestSupport
import Testing

/// Commit numbers that no commit was ever given, in both tables: every operation that reads one fails.
@Suite struct DamagedNumberTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.file() }

  init() throws {
    directory = try TemporaryDirectory("number")
    try Files.makeDatabase(at: path, keys: 3)
  }

  @Test(
    "A damaged commit number in the dictionary is an error until the key is rewritten",
    arguments: ["-5", "281474976710656", "9223372036854775807", "'text'", "1.5", "x'00'"])
  func inTheDictionary(number: String) throws {
    try RawDatabase.execute("UPDATE dictionary SET commit_number = \(number) WHERE key = 'key1'", on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    let error = try #require(throws: WorkspaceError.self) {
      try workspace.dictionary.value(forKey: "key1", as: Int.self)
    }
    #expect(error.code == .corrupt && error.key == "key1" && error.path == path)
    #expect(try errorCode { _ = try workspace.dictionary.entries() } == .corrupt)
    #expect(try errorCode { _ = try workspace.dictionary.commitNumber(forKey: "key1") } == .corrupt)
    #expect(
      try errorCode {
        _ = try workspace.fetchWithinASnapshot { try workspace.dictionary.value(forKey: "key1", as: Int.self) }
      } == .corrupt)
    let subscription = workspace.dictionary.subscribe("key1", of: Int.self) { _ in }
    #expect(workspace.dictionary["key0", Int.self] == 0, "The neighboring key is still read")
    #expect(workspace.dictionary.keys.count == 3)
    #expect(try workspace.checkIntegrity().contains { $0.contains("dictionary") && $0.contains("commit number") })
    try workspace.transactAndWait { txn in txn.dictionary["key1"] = 5 }
    #expect(try workspace.dictionary.value(forKey: "key1", as: Int.self) == 5, "A write repairs the key")
    #expect(try workspace.checkIntegrity() == [])
    subscription.cancel()
    workspace.shutdown()
  }

  @Test("A change log beyond the largest commit number is corrupt", arguments: [281_474_976_710_656, Int.max])
  func aChangeLogThatIsTooFar(number: Int) throws {
    try RawDatabase.execute("INSERT INTO dflat_log VALUES (\(number), 0, x'')", on: path)
    #expect(try errorCode { _ = try SQLiteWorkspace.open(filePath: path, options: .quiet) } == .corrupt)
    let lazy = SQLiteWorkspace(filePath: path, options: .quiet)
    #expect(try errorCode { try lazy.transactAndWait { txn in txn.dictionary["key0"] = 1 } } == .corrupt)
    #expect(try errorCode { _ = try lazy.dictionary.entries() } == .corrupt)
    lazy.shutdown()
  }

  @Test("A change log at the largest commit number allows reads and refuses writes")
  func aChangeLogAtItsEnd() throws {
    try RawDatabase.execute("INSERT INTO dflat_log VALUES (281474976710655, 0, x'')", on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(workspace.dictionary["key1", Int.self] == 1)
    #expect(try errorCode { try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 } } == .corrupt)
    workspace.dictionary["key0"] = 9
    #expect(try errorCode { try workspace.dictionary.synchronize() } == .corrupt)
    #expect(workspace.dictionary["key0", Int.self] == 0)
    workspace.shutdown()
  }

  @Test("A negative number in the change log is reported, and refused if it is the newest")
  func aChangeLogBelowItsBeginning() throws {
    try RawDatabase.execute("INSERT INTO dflat_log VALUES (-5, 0, x'')", on: path)
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(try workspace.checkIntegrity().contains { $0.contains("change log") && $0.contains("commit number") })
    try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 }
    workspace.shutdown()
    try RawDatabase.execute("DELETE FROM dflat_log WHERE commit_number >= 0", on: path)
    #expect(try errorCode { _ = try SQLiteWorkspace.open(filePath: path, options: .quiet) } == .corrupt)
  }

  /// The number appears while the workspace follows the file.
  @Test(
    "A damaged commit number that appears while the file is open is corrupt",
    arguments: ["281474976710656", "9223372036854775807"])
  func aDamagedNumberOfAnotherProcess(number: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path, options: .quiet)
    #expect(workspace.dictionary["key0", Int.self] == 0)
    let subscription = workspace.dictionary.subscribe(withPrefix: "") { _ in }
    try RawDatabase.execute("INSERT INTO dflat_log VALUES (\(number), 0, x'')", on: path)
    #expect(try errorCode { try workspace.transactAndWait { txn in txn.dictionary["key0"] = 1 } } == .corrupt)
    #expect(
      try errorCode { _ = try workspace.fetchWithinASnapshot { try workspace.dictionary.entries() } } == .corrupt)
    subscription.cancel()
    workspace.shutdown()
  }
}
