/// A word, number, string or mark of a schema, by its range in the text.
struct Token: Sendable {
  enum Kind: Sendable {
    case identifier
    /// Decimal or hexadecimal, including the sign.
    case integer
    /// Including the sign. `-inf` and `+nan` belong here, in any case, while `inf` alone is an identifier.
    case floating
    case string
    case leftBrace, rightBrace, leftParenthesis, rightParenthesis, leftBracket, rightBracket
    case colon, semicolon, comma, equals, dot
    /// Text that the lexer has reported as an error.
    case invalid
    case end
  }

  let kind: Kind
  /// The token's bytes in the text.
  let range: Range<Int>
}

/// The tokens of a file; the last one is `end`.
struct TokenList: Sendable {
  var tokens: [Token] = []
  /// The contents of strings with their escapes resolved, by the token's index.
  var strings: [Int: String] = [:]
  /// The `///` lines directly before a token, by its index.
  var documentation: [Int: [String]] = [:]
}
