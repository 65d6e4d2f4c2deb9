import DflatKV
import Foundation
import TestSupport
import Testing

@Suite struct IntegrityTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory("integrity")
    try Files.makeDatabase(at: directory.file(), keys: 400)
  }

  private func problems(after sql: String) throws -> [String] {
    try Files.execute(sql, on: directory.file())
    let workspace = try Bench.open(directory.file())
    defer { workspace.shutdown() }
    return try workspace.checkIntegrity()
  }

  @Test func aSoundFile() throws { #expect(try problems(after: "SELECT 1") == []) }

  @Test(arguments: [
    "UPDATE dictionary SET value = 'text' WHERE key = 'key7'",
    "UPDATE dictionary SET value = 1.5 WHERE key = 'key7'",
    "UPDATE dictionary SET value = NULL WHERE key = 'key7'",
    "UPDATE dictionary SET type = 6 WHERE key = 'key7'",
    "UPDATE dictionary SET type = 99 WHERE key = 'key7'",
    "UPDATE dictionary SET type = 9, value = 'text' WHERE key = 'key7'",
  ])
  func aValueThatIsNotOfItsType(sql: String) throws {
    let problems = try problems(after: sql)
    #expect(problems.count == 1)
    #expect(problems.first?.hasPrefix("1 dictionary row") == true)
  }

  @Test(arguments: [0, -1, 2, 1_000])
  func aCommitNumberThatWasNeverGiven(number: Int) throws {
    let problems = try problems(after: "UPDATE dictionary SET commit_number = \(number) WHERE key = 'key7'")
    #expect(problems.count == 1)
    #expect(problems.first?.contains("commit number") == true)
  }

  /// The last page belongs to the dictionary's tree: zeros are no page of one.
  @Test func aDamagedPage() throws {
    let path = directory.file()
    let pageSize = try Files.integer("PRAGMA page_size", on: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes.replaceSubrange((bytes.count - pageSize)..., with: Data(count: pageSize))
    try bytes.write(to: URL(fileURLWithPath: path))
    let workspace = try Bench.open(path)
    let result = Result { try workspace.checkIntegrity() }
    switch result {
    case .success(let problems): #expect(!problems.isEmpty)
    case .failure(let error): #expect((error as? WorkspaceError)?.code == .corrupt)
    }
    #expect(throws: WorkspaceError.self) { try workspace.dictionary.entries() }
    workspace.shutdown()
  }
}
