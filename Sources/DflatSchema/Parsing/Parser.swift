/// Parses tokens by the grammar at https://flatbuffers.dev/grammar/.
///
/// Any identifier may be a name: its meaning follows from its position, so that a field may be called `table`. After an
/// error, the parser continues after the next `;`, before the next `}`, or at the next declaration.
struct Parser {
  let text: SourceText
  let list: TokenList
  var index = 0
  var file = FileSyntax()
  var namespace: [String] = []
  var diagnostics: [Diagnostic] = []

  /// Thrown after the parser or the lexer has reported the error.
  struct Failure: Error {}

  static func parse(_ text: SourceText) -> (file: FileSyntax, diagnostics: [Diagnostic]) {
    let (list, lexicalDiagnostics) = Lexer.tokens(of: text)
    guard let list else {
      var file = FileSyntax()
      file.hasLostDeclarations = true
      return (file, lexicalDiagnostics)
    }
    var parser = Parser(text: text, list: list)
    parser.diagnostics = lexicalDiagnostics
    parser.parseFile()
    return (parser.file, parser.diagnostics)
  }

  private init(text: SourceText, list: TokenList) {
    self.text = text
    self.list = list
  }

  // MARK: Tokens

  var token: Token { list.tokens[index] }

  /// The kind of the next token.
  var nextKind: Token.Kind { list.tokens[min(index + 1, list.tokens.count - 1)].kind }

  /// The end of the last token taken, which is the position of a missing one.
  var endOfPrevious: Int { index > 0 ? list.tokens[index - 1].range.upperBound : token.range.lowerBound }

  var word: String { text.string(token.range) }

  /// The documentation comment directly before the current token.
  var documentation: [String] { list.documentation[index] ?? [] }

  mutating func advance() { if token.kind != .end { index += 1 } }

  mutating func take(_ kind: Token.Kind) -> Bool {
    guard token.kind == kind else { return false }
    advance()
    return true
  }

  // MARK: Errors

  mutating func report(at position: Int, _ message: String, advice: String) {
    diagnostics.append(Diagnostic(text.location(at: position), message, advice: advice))
  }

  mutating func warn(at position: Int, _ message: String, advice: String) {
    diagnostics.append(Diagnostic(text.location(at: position), message, advice: advice, severity: .warning))
  }

  /// Reports the current token as not the expected one, unless the lexer has reported it.
  mutating func fail(_ message: String, advice: String) -> Failure {
    if token.kind != .invalid {
      report(at: token.range.lowerBound, "\(message), not \(tokenDescription)", advice: advice)
    }
    return Failure()
  }

  /// Reports the current token, unless the lexer has reported it.
  mutating func refuse(_ message: String, advice: String) -> Failure {
    if token.kind != .invalid { report(at: token.range.lowerBound, message, advice: advice) }
    return Failure()
  }

  /// Takes a mark, or reports at the end of the previous token that it is missing.
  mutating func expect(_ kind: Token.Kind, _ mark: String, after what: String) throws(Failure) {
    if take(kind) { return }
    if token.kind != .invalid {
      report(at: endOfPrevious, "'\(mark)' is missing after \(what)", advice: "write '\(mark)' here")
    }
    throw Failure()
  }

  private var tokenDescription: String { token.kind == .end ? "the end of the file" : "'\(shortened(word))'" }

  func shortened(_ word: String) -> String { word.utf8.count <= 40 ? word : word.prefix(37) + "..." }

  // MARK: Names

  mutating func parseName(of what: String) throws(Failure) -> NameSyntax {
    guard token.kind == .identifier else {
      throw fail("this should be the name of \(what)", advice: "write a name of ASCII letters, digits and underscores")
    }
    let name = NameSyntax(text: word, position: token.range.lowerBound)
    advance()
    return name
  }

  mutating func parsePath(of what: String) throws(Failure) -> PathSyntax {
    let first = try parseName(of: what)
    var path = PathSyntax(parts: [first.text], position: first.position)
    while take(.dot) { path.parts.append(try parseName(of: what).text) }
    return path
  }

  mutating func parseString(of what: String) throws(Failure) -> StringSyntax {
    guard token.kind == .string, let content = list.strings[index] else {
      throw fail("this should be \(what), in quotes", advice: "write it as \"text\"")
    }
    let string = StringSyntax(text: content, position: token.range.lowerBound)
    advance()
    return string
  }
}
