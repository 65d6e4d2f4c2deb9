/// A word, number, string or mark of a schema, by its place in the text.
struct Token: Sendable {
  enum Kind: Sendable {
    case identifier
    /// With its sign, decimal or hexadecimal.
    case integer
    /// With its sign; `-inf` and `+nan` too, while `inf` alone is an identifier.
    case floating
    case string
    case leftBrace, rightBrace, leftParenthesis, rightParenthesis, leftBracket, rightBracket
    case colon, semicolon, comma, equals, dot
    /// Something the lexer has complained about.
    case invalid
    case end
  }

  let kind: Kind
  /// Its bytes in the text.
  let range: Range<Int>
}

/// A file's tokens; the last one is `end`.
struct TokenList: Sendable {
  var tokens: [Token] = []
  /// The contents of strings, escapes resolved, by the token's index.
  var strings: [Int: String] = [:]
  /// The `///` lines right before a token, by its index.
  var documentation: [Int: [String]] = [:]
}
