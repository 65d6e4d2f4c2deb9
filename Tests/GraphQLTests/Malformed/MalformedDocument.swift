import DflatSchema
import Testing

@testable import DflatGraphQL

/// A document with one error, at the mark `‸`, and a part of the error's message.
struct MalformedDocument: CustomTestStringConvertible {
  let text: String
  let message: String

  init(_ marked: String, _ message: String) {
    text = marked
    self.message = message
  }

  var testDescription: String { text }

  /// The document without the mark.
  var document: String { text.replacing("‸", with: "") }

  /// The place of the mark, as `line:column`.
  var place: String {
    let before = text.unicodeScalars.prefix { $0 != "‸" }
    let line = before.filter { $0 == "\n" }.count + 1
    let column = before.reversed().prefix { $0 != "\n" }.count + 1
    return "\(line):\(column)"
  }

  /// Expects exactly the error of the mark.
  func expectOnlyError(_ errors: [Diagnostic], sourceLocation: Testing.SourceLocation = #_sourceLocation) {
    #expect(
      errors.map { "\($0.location.line):\($0.location.column)" } == [place], "\(errors)",
      sourceLocation: sourceLocation)
    #expect(
      errors.first?.message.contains(message) == true, "\(errors.first?.message ?? "")", sourceLocation: sourceLocation)
  }
}
