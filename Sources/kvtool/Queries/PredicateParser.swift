/// Parses an expression in the grammar of `PredicateSyntax`.
struct PredicateParser {
  /// The maximum number of operators, tests and parentheses. It bounds the depth of the tree, and so that of the stack.
  private static let maximumParts = 1_000

  private let tokens: [PredicateLexer.Token]
  private var place = 0
  private var parts = 0

  static func parse(_ text: String) throws(PredicateFailure) -> PredicateSyntax {
    var parser = PredicateParser(try PredicateLexer.tokens(text))
    let syntax = try parser.condition()
    guard parser.current.kind == .end else {
      throw PredicateFailure(
        parser.current.column,
        "unexpected \(parser.current.text): join conditions with && or ||, and compare with ==, !=, <, <=, >, >=, in, "
          + "contains, hasPrefix, hasSuffix or equals")
    }
    return syntax
  }

  private init(_ tokens: [PredicateLexer.Token]) { self.tokens = tokens }

  // MARK: Tokens

  private var current: PredicateLexer.Token { tokens[place] }

  private mutating func advance() { place = min(place + 1, tokens.count - 1) }

  /// Skips the token if it is one of the symbols or words, and returns it.
  private mutating func take(symbols: [String] = [], words: [String] = []) -> String? {
    switch current.kind {
    case .symbol(let text) where symbols.contains(text), .word(let text) where words.contains(text):
      advance()
      return text
    default: return nil
    }
  }

  private mutating func require(symbol: String, _ advice: String) throws(PredicateFailure) {
    if take(symbols: [symbol]) != nil { return }
    throw PredicateFailure(current.column, "expected '\(symbol)' instead of \(current.text): \(advice)")
  }

  private mutating func countPart() throws(PredicateFailure) {
    parts += 1
    guard parts <= Self.maximumParts else {
      throw PredicateFailure(
        current.column, "more than \(Self.maximumParts) operators and parentheses: use 'in [a, b]' for many values")
    }
  }

  // MARK: Conditions

  private mutating func condition() throws(PredicateFailure) -> PredicateSyntax {
    var left = try conjunction()
    while take(symbols: ["||"], words: ["or", "OR"]) != nil {
      try countPart()
      left = PredicateSyntax(kind: .or(left, try conjunction()), column: left.column)
    }
    return left
  }

  private mutating func conjunction() throws(PredicateFailure) -> PredicateSyntax {
    var left = try negation()
    while take(symbols: ["&&"], words: ["and", "AND"]) != nil {
      try countPart()
      left = PredicateSyntax(kind: .and(left, try negation()), column: left.column)
    }
    return left
  }

  private mutating func negation() throws(PredicateFailure) -> PredicateSyntax {
    let column = current.column
    guard take(symbols: ["!"], words: ["not", "NOT"]) != nil else { return try test() }
    try countPart()
    return PredicateSyntax(kind: .not(try negation()), column: column)
  }

  private mutating func test() throws(PredicateFailure) -> PredicateSyntax {
    let left = try sum()
    guard let kind = try test(of: left) else { return left }
    return PredicateSyntax(kind: kind, column: left.column)
  }

  /// Returns the test that follows an operand; nil if none does.
  private mutating func test(of left: PredicateSyntax) throws(PredicateFailure) -> PredicateSyntax.Kind? {
    if let symbol = take(symbols: ["==", "=", "!=", "<", "<=", ">", ">="]) {
      try countPart()
      return .comparison(PredicateSyntax.Comparison(rawValue: symbol) ?? .equal, left, try sum())
    }
    // 'not' is a part of 'not in' here.
    if case .word("not") = current.kind, tokens[min(place + 1, tokens.count - 1)].kind == .word("in") {
      advance()
      advance()
      return .not(PredicateSyntax(kind: .isIn(left, try list()), column: left.column))
    }
    if take(words: ["in"]) != nil { return .isIn(left, try list()) }
    if take(words: ["matches"]) != nil { return .search(left, try text()) }
    if take(words: ["is"]) != nil {
      let isNegated = take(words: ["not"]) != nil
      guard let what = take(words: ["null", "empty"]) else {
        throw PredicateFailure(current.column, "expected 'null' or 'empty' instead of \(current.text)")
      }
      let kind: PredicateSyntax.Kind = what == "null" ? .isNull(left) : .isEmpty(left)
      return isNegated ? .not(PredicateSyntax(kind: kind, column: left.column)) : kind
    }
    guard let word = take(words: ["contains", "hasPrefix", "hasSuffix", "equals"]) else { return nil }
    try countPart()
    let value = try value()
    let ignoresCase = take(words: ["ignoringCase"]) != nil
    switch word {
    case "contains": return .textTest(.anywhere, left, value, ignoresCase: ignoresCase)
    case "hasPrefix": return .textTest(.start, left, value, ignoresCase: ignoresCase)
    case "hasSuffix": return .textTest(.end, left, value, ignoresCase: ignoresCase)
    default: return .textTest(.whole, left, value, ignoresCase: ignoresCase)
    }
  }

  /// Parses `[a, b]`.
  private mutating func list() throws(PredicateFailure) -> [PredicateSyntax] {
    let advice = "write a list as [1, 2]"
    try countPart()
    try require(symbol: "[", advice)
    if take(symbols: ["]"]) != nil { return [] }
    var values = [try value()]
    while take(symbols: [","]) != nil { values.append(try value()) }
    try require(symbol: "]", advice)
    return values
  }

  // MARK: Operands

  private mutating func sum() throws(PredicateFailure) -> PredicateSyntax {
    var left = try remainder()
    while let symbol = take(symbols: ["+", "-"]) {
      try countPart()
      left = PredicateSyntax(
        kind: .arithmetic(symbol == "+" ? .add : .subtract, left, try remainder()), column: left.column)
    }
    return left
  }

  private mutating func remainder() throws(PredicateFailure) -> PredicateSyntax {
    var left = try primary()
    while take(symbols: ["%"]) != nil {
      try countPart()
      left = PredicateSyntax(kind: .arithmetic(.remainder, left, try primary()), column: left.column)
    }
    return left
  }

  private mutating func primary() throws(PredicateFailure) -> PredicateSyntax {
    let column = current.column
    if take(symbols: ["("]) != nil {
      try countPart()
      let inner = try condition()
      try require(symbol: ")", "each '(' needs one")
      return inner
    }
    if case .word("matches") = current.kind, case .text = tokens[min(place + 1, tokens.count - 1)].kind {
      advance()
      return PredicateSyntax(kind: .search(nil, try text()), column: column)
    }
    return try value()
  }

  /// Parses a constant or a field.
  private mutating func value() throws(PredicateFailure) -> PredicateSyntax {
    let token = current
    func syntax(_ kind: PredicateSyntax.Kind) -> PredicateSyntax { PredicateSyntax(kind: kind, column: token.column) }
    switch token.kind {
    case .word("null"):
      advance()
      return syntax(.null)
    case .word("true"), .word("false"):
      advance()
      return syntax(.bool(token.kind == .word("true")))
    case .word, .name: return syntax(.field(try path()))
    case .number(let text):
      advance()
      return syntax(.number(text))
    case .text(let text):
      advance()
      return syntax(.text(text))
    case .symbol("-"), .symbol("+"):
      advance()
      guard case .number(let text) = current.kind else { break }
      advance()
      return syntax(.number(token.kind == .symbol("-") ? "-" + text : text))
    case .symbol, .end: break
    }
    throw PredicateFailure(current.column, "expected a field or a value instead of \(current.text)")
  }

  private mutating func path() throws(PredicateFailure) -> [PredicateSyntax.Name] {
    var names = [try name()]
    while take(symbols: ["."]) != nil { names.append(try name()) }
    return names
  }

  private mutating func name() throws(PredicateFailure) -> PredicateSyntax.Name {
    switch current.kind {
    case .word(let text), .name(let text):
      defer { advance() }
      return PredicateSyntax.Name(text: text, column: current.column)
    case .number, .text, .symbol, .end:
      throw PredicateFailure(current.column, "expected a name instead of \(current.text)")
    }
  }

  private mutating func text() throws(PredicateFailure) -> String {
    guard case .text(let text) = current.kind else {
      throw PredicateFailure(current.column, "expected a text in quotes instead of \(current.text)")
    }
    advance()
    return text
  }
}

extension PredicateLexer.Token {
  /// The token in messages.
  fileprivate var text: String {
    switch kind {
    case .word(let text), .name(let text), .number(let text), .symbol(let text): "'\(shortened(text))'"
    case .text(let text): quoted(shortened(text))
    case .end: "the end"
    }
  }
}
