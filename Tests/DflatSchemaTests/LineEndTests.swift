import DflatSchema
import Testing

/// Three kinds of line ends, and control characters in comments.
@Suite struct LineEndTests {
  enum LineEnd: CaseIterable {
    case lineFeed, both, carriageReturn

    var text: String {
      switch self {
      case .lineFeed: "\n"
      case .both: "\r\n"
      case .carriageReturn: "\r"
      }
    }
  }

  private func errors(_ text: String) -> [String] {
    do {
      _ = try SchemaCompiler(source: MemorySource(["a.fbs": text])).compile("a.fbs")
      return []
    } catch {
      return error.diagnostics.map { "\($0.location.line):\($0.location.column)" }
    }
  }

  @Test("Each kind of line end ends a comment and counts as a line", arguments: LineEnd.allCases)
  func everyLineEndEndsACommentAndCounts(end: LineEnd) {
    #expect(
      errors(
        ["// one", "/// two", "table A { a: Missing; }", "", "\ttable B { b: Lost; }"].joined(separator: end.text)) == [
          "3:14", "5:15",
        ])
  }

  @Test("A field on a new line ends the field before it, even without a semicolon", arguments: LineEnd.allCases)
  func aFieldOnANewLineEndsTheOneBefore(end: LineEnd) {
    #expect(errors(["table A {", "  a: int", "  b: Missing;", "}"].joined(separator: end.text)) == ["2:9", "3:6"])
  }

  /// Otherwise, a comment's text could become code, or Swift could refuse the file.
  @Test("Control characters are replaced in the comments of Swift files")
  func noControlCharacterGetsIntoSwiftsComments() throws {
    let text = "/// one\u{0}\u{B}\u{C}\u{1B}\u{7F}\u{85}two\tthree\r/// four\rtable A { a: int; }"
    let schema = try SchemaCompiler(source: MemorySource(["a.fbs": text])).compile("a.fbs")
    let swift = SwiftEmitter().files(for: schema, of: ["a.fbs"])[0].text
    #expect(
      swift.contains("\n/// one\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}two\tthree\n/// four\npublic struct A"))
  }
}
