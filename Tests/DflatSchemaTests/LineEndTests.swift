import DflatSchema
import Testing

/// Line ends of all three kinds, and control characters in comments.
@Suite struct LineEndTests {
  private func errors(_ text: String) -> [String] {
    do {
      _ = try SchemaCompiler(source: MemorySource(["a.fbs": text])).compile("a.fbs")
      return []
    } catch {
      return error.diagnostics.map { "\($0.location.line):\($0.location.column)" }
    }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func everyLineEndEndsACommentAndCounts(end: String) {
    #expect(
      errors(["// one", "/// two", "table A { a: Missing; }", "", "\ttable B { b: Lost; }"].joined(separator: end)) == [
        "3:14", "5:15",
      ])
  }

  @Test(arguments: ["\r", "\r\n", "\n"])
  func aFieldOnANewLineEndsTheOneBefore(end: String) {
    #expect(errors(["table A {", "  a: int", "  b: Missing;", "}"].joined(separator: end)) == ["2:9", "3:6"])
  }

  /// Else a comment's text could become code, or Swift refuse the file.
  @Test func noControlCharacterGetsIntoSwiftsComments() throws {
    let text = "/// one\u{0}\u{B}\u{C}\u{1B}\u{7F}\u{85}two\tthree\r/// four\rtable A { a: int; }"
    let schema = try SchemaCompiler(source: MemorySource(["a.fbs": text])).compile("a.fbs")
    let swift = SwiftEmitter().files(for: schema, of: ["a.fbs"])[0].text
    #expect(
      swift.contains("\n/// one\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}two\tthree\n/// four\npublic struct A"))
  }
}
