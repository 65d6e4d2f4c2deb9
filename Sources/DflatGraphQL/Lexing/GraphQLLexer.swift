import DflatSchema
import DflatSupport

/// Splits a document into the tokens of section 2.1 of the GraphQL specification
/// (https://spec.graphql.org/October2021/#sec-Language.Source-Text).
///
/// Text may have any Unicode characters, also in escapes with braces (`\u{1F600}`) and as surrogate pairs, as later
/// drafts of the specification allow. The lexer continues after an error, so that one run reports all errors.
struct GraphQLLexer: TextScanner {
  let text: SourceText
  var position = 0
  var list = GraphQLTokens()
  var diagnostics: [Diagnostic] = []

  /// Returns the tokens of a text, or nil if it isn't UTF-8.
  static func tokens(of text: SourceText) -> (list: GraphQLTokens?, diagnostics: [Diagnostic]) {
    if let position = text.bytes.withUnsafeBytes(UTF8Check.firstInvalid(in:)) {
      return (nil, [Diagnostic(text.location(at: position), "this is not UTF-8", advice: "save the file as UTF-8")])
    }
    var lexer = GraphQLLexer(text: text)
    lexer.run()
    return (lexer.list, lexer.diagnostics)
  }

  private init(text: SourceText) { self.text = text }

  private mutating func run() {
    while let byte = current {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: ","):
        position += 1
      case UInt8(ascii: "#"):
        while let byte = current, !byte.isLineEnd { position += 1 }
      // A byte order mark may be between any tokens, as where a file was appended to another one.
      case 0xEF where self.byte(at: position + 1) == 0xBB && self.byte(at: position + 2) == 0xBF:
        position += 3
      default:
        scanToken(byte)
      }
    }
    append(.end, from: position)
  }

  /// Appends the token that ends at the current position.
  mutating func append(_ kind: GraphQLToken.Kind, from start: Int) {
    list.tokens.append(GraphQLToken(kind: kind, range: start..<position))
  }

  private mutating func scanToken(_ byte: UInt8) {
    let start = position
    if let mark = Self.marks[byte] {
      position += 1
      append(mark, from: start)
    } else if byte.isIdentifierStart {
      while current?.isIdentifierPart == true { position += 1 }
      append(.name, from: start)
    } else if byte.isASCIIDigit || byte == UInt8(ascii: "-") {
      scanNumber()
    } else if byte == UInt8(ascii: "\"") {
      if isAtBlockQuote { scanBlockString() } else { scanString() }
    } else if byte == UInt8(ascii: ".") {
      scanDots()
    } else {
      scanUnexpectedCharacter()
    }
  }

  private static let marks: [UInt8: GraphQLToken.Kind] = [
    UInt8(ascii: "!"): .exclamation, UInt8(ascii: "$"): .dollar, UInt8(ascii: "&"): .ampersand,
    UInt8(ascii: ":"): .colon, UInt8(ascii: "="): .equals, UInt8(ascii: "@"): .at, UInt8(ascii: "|"): .pipe,
    UInt8(ascii: "("): .leftParenthesis, UInt8(ascii: ")"): .rightParenthesis,
    UInt8(ascii: "["): .leftBracket, UInt8(ascii: "]"): .rightBracket,
    UInt8(ascii: "{"): .leftBrace, UInt8(ascii: "}"): .rightBrace,
  ]

  private mutating func scanDots() {
    let start = position
    while current == UInt8(ascii: "."), position < start + 3 { position += 1 }
    if position == start + 3 {
      append(.spread, from: start)
    } else {
      append(.invalid, from: start)
      report(at: start, "'\(text.string(start..<position))' has no meaning", advice: "write '...' before a fragment")
    }
  }

  /// Reports a run of characters that begin no token as one error.
  private mutating func scanUnexpectedCharacter() {
    let start = position
    position += 1
    skipRestOfCharacter()
    let character = text.string(start..<position)
    let value = character.unicodeScalars.first?.value ?? 0
    let name = value > 0x20 && value != 0x7F ? "'\(character)'" : "U+\(String(value, radix: 16, uppercase: true))"
    if character == "'" {
      // Skip to the closing quote: this is meant to be a string.
      while let byte = current, !byte.isLineEnd, byte != UInt8(ascii: "'") { position += 1 }
      if current == UInt8(ascii: "'") { position += 1 }
    } else {
      while let byte = current, byte >= 0x80 || byte.isIdentifierPart { position += 1 }
    }
    append(.invalid, from: start)
    report(
      at: start, "\(name) is not allowed here",
      advice: character == "'"
        ? "write strings in double quotes" : "write names in ASCII letters, digits and underscores, and text in quotes")
  }

  // MARK: Numbers

  private mutating func scanNumber() {
    let start = position
    var isFloat = false
    var isGood = true
    if current == UInt8(ascii: "-") { position += 1 }
    // The integer part. A zero is followed by no other digit.
    let first = position
    skipDigits()
    if position == first {
      report(at: start, "'-' is not followed by a digit", advice: "write a number, as '-1'")
      isGood = false
    } else if position > first + 1, text.bytes[first] == UInt8(ascii: "0") {
      report(at: start, "a number can't begin with the digit 0", advice: "leave out the leading zeros")
      isGood = false
    }
    // The fraction and the exponent.
    if isGood, current == UInt8(ascii: "."), byte(at: position + 1) != UInt8(ascii: ".") {
      isFloat = true
      position += 1
      isGood = requireDigits(from: start, after: "the decimal point")
    }
    if isGood, let byte = current, byte | 0x20 == UInt8(ascii: "e") {
      isFloat = true
      position += 1
      if let sign = current, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
      isGood = requireDigits(from: start, after: "the exponent's mark")
    }
    // A name or a point directly behind a number is no token of its own.
    if let byte = current, byte.isIdentifierPart || byte == UInt8(ascii: ".") {
      while let byte = current, byte.isIdentifierPart || byte == UInt8(ascii: ".") { position += 1 }
      if isGood {
        report(
          at: start, "'\(text.string(start..<min(position, start + 40)))' is not a number",
          advice: "separate the number from what follows")
        isGood = false
      }
    }
    append(!isGood ? .invalid : isFloat ? .float : .integer, from: start)
  }

  private mutating func skipDigits() { while current?.isASCIIDigit == true { position += 1 } }

  private mutating func requireDigits(from start: Int, after mark: String) -> Bool {
    let first = position
    skipDigits()
    if position > first { return true }
    report(at: start, "\(mark) of this number is not followed by a digit", advice: "write a digit there, as in '1.0e3'")
    return false
  }

}
