/// A token of a GraphQL document, by its range in the text.
struct GraphQLToken: Sendable {
  enum Kind: Sendable {
    case name
    case integer
    case float
    /// A string in quotes, or a block string.
    case string
    case exclamation, dollar, ampersand, spread, colon, equals, at, pipe
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, leftBrace, rightBrace
    /// Text that the lexer has reported as an error.
    case invalid
    case end
  }

  let kind: Kind
  /// The token's bytes in the text.
  let range: Range<Int>
}

/// The tokens of a document; the last one is `end`.
struct GraphQLTokens: Sendable {
  var tokens: [GraphQLToken] = []
  /// The values of strings, with their escapes resolved and the indentation of block strings removed, by the token's
  /// index.
  var strings: [Int: String] = [:]
}
