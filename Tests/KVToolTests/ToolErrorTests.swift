import DflatCore
import DflatKV
import Testing

@testable import kvtool

/// The messages that the tool makes of the library's errors.
@Suite struct ToolErrorTests {
  @Test("A message names its key and its file, also if their letters are a part of other words")
  func namesShortKeysAndPaths() {
    let error = WorkspaceError(.undecodable, "A value can't be read.", path: "a", key: "v")
    #expect(ToolError(error).message == #"A value can't be read. (a) (key "v")"#)
  }

  @Test(
    "A message that names its key and its file names them once",
    arguments: [
      ("'v': The value can't be read in 'a'.", WorkspaceError.Code.undecodable),
      ("'v' in 'n': 'a' is damaged.", .corrupt), ("'v': The size of 'a-wal' can't be read.", .cannotOpen),
    ])
  func namesThemOnce(message: String, code: WorkspaceError.Code) {
    #expect(ToolError(WorkspaceError(code, message, path: "a", key: "v")).message == message)
  }

  @Test("A message about a sealed value names its key once") func sealedKeys() {
    let message = ToolError(WorkspaceError(.sealed, "'v': The stored value is sealed.", path: "a", key: "v")).message
    #expect(message.hasPrefix(#"key "v" is sealed"#) && message.hasSuffix(" (a)"))
  }
}
