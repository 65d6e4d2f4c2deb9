import DflatSchema

/// Parses tokens by the grammar in appendix B of the GraphQL specification
/// (https://spec.graphql.org/October2021/#sec-Appendix-Grammar-Summary).
///
/// After an error, the parser continues at the next definition, so that one run reports an error in each.
struct GraphQLParser {
  /// The maximum number of braces and brackets around a place. It bounds the depth of the stack.
  static let maximumDepth = 200

  let text: SourceText
  /// The index of the file.
  let file: Int
  let list: GraphQLTokens
  var index = 0
  var diagnostics: [Diagnostic] = []
  var depth = 0

  /// Thrown after the parser or the lexer has reported the error.
  struct Failure: Error {}

  static func parse(_ text: SourceText, file: Int) -> (document: DocumentSyntax, diagnostics: [Diagnostic]) {
    let (list, lexicalDiagnostics) = GraphQLLexer.tokens(of: text)
    guard let list else { return (DocumentSyntax(hasLostDefinitions: true), lexicalDiagnostics) }
    var parser = GraphQLParser(text: text, file: file, list: list)
    let document = parser.parseDocument()
    return (document, lexicalDiagnostics + parser.diagnostics)
  }

  /// Returns a value without variables, or nil if the text is none. Its parts have the given place.
  static func constant(_ text: String, at place: Place) -> ValueSyntax? {
    let source = SourceText(path: "", bytes: Array(text.utf8))
    let (list, diagnostics) = GraphQLLexer.tokens(of: source)
    guard let list, diagnostics.isEmpty else { return nil }
    var parser = GraphQLParser(text: source, file: place.file, list: list)
    guard let value = try? parser.parseValue(isConstant: true), parser.token.kind == .end else { return nil }
    return ValueSyntax(kind: value.kind, place: place)
  }

  private init(text: SourceText, file: Int, list: GraphQLTokens) {
    self.text = text
    self.file = file
    self.list = list
  }

  // MARK: Definitions

  private mutating func parseDocument() -> DocumentSyntax {
    var document = DocumentSyntax()
    if token.kind == .end {
      report(
        at: token.range.lowerBound, "this file has no definition", advice: "write an operation, a fragment or a type")
    }
    while token.kind != .end {
      let start = index
      do throws(Failure) {
        document.definitions.append(try parseDefinition())
      } catch {
        document.hasLostDefinitions = true
        skipToDefinition(after: start)
      }
    }
    return document
  }

  private mutating func parseDefinition() throws(Failure) -> DefinitionSyntax {
    depth = 0
    if token.kind == .leftBrace { return .operation(try parseOperation()) }
    let description = try parseDescription()
    guard token.kind == .name else {
      throw fail("this should begin a definition", advice: "write query, mutation, fragment, type or another keyword")
    }
    switch word {
    case "query", "mutation", "subscription", "fragment":
      if description != nil {
        throw refuse("operations and fragments have no descriptions", advice: "write a comment, which begins with '#'")
      }
      return word == "fragment" ? .fragment(try parseFragment()) : .operation(try parseOperation())
    case "extend":
      if description != nil {
        throw refuse("extensions have no descriptions", advice: "describe the type where it is defined")
      }
      advance()
      return try parseTypeSystemDefinition(description: nil, isExtension: true)
    default:
      return try parseTypeSystemDefinition(description: description, isExtension: false)
    }
  }

  /// Skips to a keyword of a definition, or the description or brace before one, that begins a line outside of braces.
  private mutating func skipToDefinition(after start: Int) {
    // Count the braces from the definition's beginning, because the error may be inside of some.
    var braces = 0
    for token in list.tokens[start..<index] { braces += Self.nesting(of: token.kind) }
    if index == start { advance() }
    while token.kind != .end {
      let beginsLine = index == 0 || text.beginsLine(between: list.tokens[index - 1].range, and: token.range)
      if beginsLine, braces <= 0 || text.location(at: token.range.lowerBound).column == 1, beginsDefinition { return }
      braces += Self.nesting(of: token.kind)
      advance()
    }
  }

  private static func nesting(of kind: GraphQLToken.Kind) -> Int {
    switch kind {
    case .leftBrace: 1
    case .rightBrace: -1
    default: 0
    }
  }

  private var beginsDefinition: Bool {
    switch token.kind {
    case .leftBrace, .string: true
    case .name: Self.keywords.contains(word)
    default: false
    }
  }

  private static let keywords: Set<String> = [
    "query", "mutation", "subscription", "fragment", "schema", "scalar", "type", "interface", "union", "enum", "input",
    "directive", "extend",
  ]

  // MARK: Tokens

  var token: GraphQLToken { list.tokens[index] }

  var word: String { text.string(token.range) }

  var place: Place { Place(file: file, offset: token.range.lowerBound) }

  func isKeyword(_ keyword: String) -> Bool { token.kind == .name && word == keyword }

  mutating func advance() { if token.kind != .end { index += 1 } }

  mutating func take(_ kind: GraphQLToken.Kind) -> Bool {
    guard token.kind == kind else { return false }
    advance()
    return true
  }

  mutating func takeKeyword(_ keyword: String) -> Bool {
    guard isKeyword(keyword) else { return false }
    advance()
    return true
  }

  mutating func expect(_ kind: GraphQLToken.Kind, _ mark: String, _ purpose: String) throws(Failure) {
    if take(kind) { return }
    throw fail("this should be '\(mark)', \(purpose)", advice: "write '\(mark)' before it")
  }

  /// Parses elements up to a closing mark. There has to be at least one.
  mutating func parseList<Element>(
    of what: String, from open: GraphQLToken.Kind, to close: GraphQLToken.Kind,
    _ parse: (inout GraphQLParser) throws(Failure) -> Element
  ) throws(Failure) -> [Element] {
    try enter()
    advance()
    var elements: [Element] = []
    if token.kind == close {
      throw refuse("there is nothing between these marks", advice: "write \(what) there, or remove both marks")
    }
    while !take(close) { elements.append(try parse(&self)) }
    depth -= 1
    return elements
  }

  /// Counts a brace or a bracket.
  mutating func enter() throws(Failure) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw refuse("braces and brackets nest deeper than \(Self.maximumDepth)", advice: "nest less")
    }
  }

  // MARK: Errors

  mutating func report(at offset: Int, _ message: String, advice: String) {
    diagnostics.append(Diagnostic(text.location(at: offset), message, advice: advice))
  }

  /// Reports the current token as not the expected one, unless the lexer has reported it.
  mutating func fail(_ message: String, advice: String) -> Failure {
    refuse("\(message), not \(tokenDescription)", advice: advice)
  }

  /// Reports the current token, unless the lexer has reported it.
  mutating func refuse(_ message: String, advice: String) -> Failure {
    if token.kind != .invalid { report(at: token.range.lowerBound, message, advice: advice) }
    return Failure()
  }

  private var tokenDescription: String {
    if token.kind == .end { return "the end of the file" }
    return "'\(word.utf8.count <= 40 ? word : word.prefix(37) + "...")'"
  }

  // MARK: Names, strings and lists of them

  mutating func parseName(of what: String) throws(Failure) -> NameSyntax {
    guard token.kind == .name else {
      throw fail("this should be the name of \(what)", advice: "write a name of ASCII letters, digits and underscores")
    }
    let name = NameSyntax(text: word, place: place)
    advance()
    return name
  }

  mutating func parseDescription() throws(Failure) -> String? {
    guard token.kind == .string else { return nil }
    let description = list.strings[index]
    advance()
    return description
  }

  /// Parses names with a mark between them, and optionally one before the first.
  mutating func parseNames(
    of what: String, separatedBy mark: GraphQLToken.Kind
  ) throws(Failure) -> [NameSyntax] {
    _ = take(mark)
    var names: [NameSyntax] = []
    repeat { names.append(try parseName(of: what)) } while take(mark)
    return names
  }
}

extension SourceText {
  /// Returns true if a line ends between two tokens, or if the second one is the text's first.
  fileprivate func beginsLine(between first: Range<Int>, and second: Range<Int>) -> Bool {
    bytes[first.upperBound..<second.lowerBound].contains(where: \.isLineEnd)
  }
}
