import DflatKV
import Foundation
import TestSupport
import Testing

/// Files of released versions open forever. A new format adds a fixture; existing fixtures never change.
@Suite struct BackwardCompatibilityTests {
  /// The root namespace of `Fixtures/format-1.db`. `DFLATKV_WRITE_FIXTURE=<path>` writes such a file.
  private static let values: [(key: String, value: StoredValue)] = [
    ("bool.false", .bool(false)), ("bool.true", .bool(true)),
    ("int.min", .int(.min)), ("int.zero", .int(0)), ("int.max", .int(.max)),
    ("uint.small", .uint(7)), ("uint.max", .uint(.max)),
    ("float", .float(1.5)), ("float.infinity", .float(.infinity)), ("float.nan", .float(.nan)),
    ("double", .double(-0.1)), ("double.tiny", .double(.leastNonzeroMagnitude)), ("double.nan", .double(.nan)),
    ("string", .string("é—漢字 🎈")), ("string.empty", .string("")), ("string.nul", .string("a\0b")),
    ("data", .data(Data([0, 1, 2, 254, 255]))), ("data.empty", .data(Data())),
    ("flatbuffers", .flatBuffers(Data([4, 0, 0, 0, 9]), schemaVersion: "2")),
    ("flatbuffers.unversioned", .flatBuffers(Data([8, 0]), schemaVersion: nil)),
    ("", .string("the empty key")),
  ]

  private struct Preferences: Codable, Equatable, Sendable {
    var name: String
    var sizes: [Int]
    var nested: [String: Double]
  }

  private static let preferences = Preferences(name: "Ada", sizes: [1, 2, 3], nested: ["half": 0.5])
  private static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("fixture") }

  /// Makes a writable copy of a fixture.
  private func copy(of name: String) throws -> String {
    let fixture = try #require(Bundle.module.url(forResource: name, withExtension: "db", subdirectory: "Fixtures"))
    let path = directory.file()
    try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
    return path
  }

  private func expectFormat1(_ workspace: SQLiteWorkspace) throws {
    let dictionary = workspace.dictionary
    for (key, value) in Self.values {
      let found = try dictionary.storedValue(forKey: key)
      switch (value, found) {
      case (.float(let value), .float(let found)?) where value.isNaN: #expect(found.isNaN)
      case (.double(let value), .double(let found)?) where value.isNaN: #expect(found.isNaN)
      default: #expect(found == value, "\(key)")
      }
    }
    #expect(try dictionary.value(forKey: "plist", as: Preferences.self) == Self.preferences)
    #expect(try dictionary.value(forKey: "plist.date", as: Date.self) == Self.date)
    #expect(dictionary.count == Self.values.count + 2)
    #expect(dictionary.namespace("other").keys == ["key"])
    #expect(try dictionary.namespaces() == ["", "other"])
    #expect(try dictionary.commitNumber(forKey: "int.max") == 1)
    #expect(workspace.commitNumber == 2)
    #expect(try workspace.checkIntegrity() == [])
  }

  @Test("A file of format 1 is read")
  func format1IsRead() throws {
    try expectFormat1(try SQLiteWorkspace.open(filePath: try copy(of: "format-1")))
  }

  @Test("A read-only workspace reads a file of format 1 without changing it")
  func format1IsReadWithoutWritingToIt() throws {
    var options = SQLiteWorkspace.Options()
    options.isReadOnly = true
    let path = try copy(of: "format-1")
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    try expectFormat1(workspace)
    workspace.shutdown()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("A file of format 1 can be written")
  func format1IsWrittenTo() throws {
    let path = try copy(of: "format-1")
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try workspace.transactAndWait { txn in txn.dictionary["int.zero"] = 1 }
    workspace.shutdown(flags: .truncate)
    let again = try SQLiteWorkspace.open(filePath: path)
    #expect(again.dictionary["int.zero", Int.self] == 1)
    #expect(again.commitNumber == 3)
    #expect(try again.fileStatistics().formatVersion == 1)
  }

  // MARK: Sealed values

  /// The values of the namespace "secrets" of `Fixtures/format-3.db`, which a key of 32 bytes 0x0a seals
  /// (Tests/EtcdTests/SealingTests opens them), and one of the root, which isn't sealed.
  @Test("A file of format 3 is read, its sealed values as envelopes without their key")
  func format3IsRead() throws {
    let workspace = try SQLiteWorkspace.open(filePath: try copy(of: "format-3"))
    let secrets = workspace.dictionary.namespace("secrets")
    #expect(secrets.keys == ["bool", "data", "double", "flatbuffers", "float", "int", "plist", "string", "uint"])
    #expect(try secrets.entries().allSatisfy { $0.value.kind == .sealed })
    #expect(workspace.dictionary["plain", Int.self] == 1)
    #expect(try workspace.fileStatistics().formatVersion == 3)
    #expect(try workspace.checkIntegrity() == [])
    try workspace.transactAndWait { $0.dictionary["plain"] = 2 }
    secrets.removeAll()
    try secrets.synchronize()
    // A file keeps the format.
    #expect(try workspace.fileStatistics().formatVersion == 3)
    workspace.shutdown()
  }

  /// If the environment variable is set, the file is kept as a new fixture.
  @Test("Values that this version writes are read back like those of the fixture")
  func thisVersionWritesTheNewestFormat() throws {
    let kept = ProcessInfo.processInfo.environment["DFLATKV_WRITE_FIXTURE"]
    let workspace = try SQLiteWorkspace.open(filePath: kept ?? directory.file())
    try workspace.transactAndWait { txn in
      for (key, value) in Self.values { txn.dictionary[key] = value }
      txn.dictionary["plist"] = Self.preferences
      txn.dictionary["plist.date"] = Self.date
    }
    try workspace.transactAndWait { txn in txn.dictionary.namespace("other")["key"] = "elsewhere" }
    let path = workspace.filePath
    workspace.shutdown(flags: .truncate)
    var options = SQLiteWorkspace.Options()
    options.isReadOnly = true
    let again = try SQLiteWorkspace.open(filePath: path, options: options)
    try expectFormat1(again)
    #expect(try again.fileStatistics().formatVersion == 1)
    again.shutdown()
  }
}
