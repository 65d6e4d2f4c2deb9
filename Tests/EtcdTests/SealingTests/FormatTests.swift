import DflatKV
import DflatSealing
import Foundation
import Testing

/// Files of released versions open for ever.
@Suite(.timeLimit(.minutes(15))) struct FormatTests {
  private let folder = TestFolder()

  /// The fixture of DflatCoreTests, which reads it without the key.
  private static let fixture = URL(fileURLWithPath: #filePath)
    .appending(path: "../../../DflatCoreTests/Fixtures/format-3.db").standardizedFileURL

  @Test("The sealed values of a file of format 3 are read and written with their key") func format3() throws {
    let path = folder.file("format-3.db").path()
    try FileManager.default.copyItem(atPath: Self.fixture.path(), toPath: path)
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    let key = try SealKey(bytes: [UInt8](repeating: 0x0a, count: 32))
    let secrets = workspace.dictionary.namespace("secrets", sealedWith: key)
    let expected: [(String, StoredValue)] = [
      ("bool", .bool(true)), ("int", .int(-7)), ("uint", .uint(.max)), ("float", .float(1.5)),
      ("double", .double(-0.1)),
      ("string", .string("é—漢字 🎈")), ("data", .data(Data([0, 1, 2, 254, 255]))),
      ("flatbuffers", .flatBuffers(Data([4, 0, 0, 0, 9]), schemaVersion: "2")),
    ]
    for (name, value) in expected { #expect(try secrets.storedValue(forKey: name) == value) }
    #expect(secrets["plist", Profile.self] == Profile(name: "Ada", age: 36, tags: ["x"]))
    #expect(secrets.count == expected.count + 1)
    secrets["int"] = 8
    #expect(secrets.failure() == nil)
  }
}
