/// Splits a text in the grammar of `PredicateSyntax` into tokens.
///
/// It looks at Unicode scalars: a combining one may follow a quote, with which it would be one character.
struct PredicateLexer {
  struct Token {
    enum Kind: Equatable {
      /// A name, or a word of the grammar.
      case word(String)
      /// A name in backquotes.
      case name(String)
      case number(String)
      case text(String)
      case symbol(String)
      case end
    }

    let kind: Kind
    let column: Int
  }

  /// The symbols; those that begin with another one come before it.
  private static let symbols = [
    "==", "!=", "<=", ">=", "&&", "||", "=", "<", ">", "!", "(", ")", "[", "]", ",", ".", "+", "-", "%",
  ]

  private let scalars: [Unicode.Scalar]
  private var place = 0

  /// Returns the tokens, of which the last one is the end.
  static func tokens(_ text: String) throws(PredicateFailure) -> [Token] {
    var lexer = PredicateLexer(text)
    var tokens: [Token] = []
    repeat { tokens.append(try lexer.next()) } while tokens[tokens.count - 1].kind != .end
    return tokens
  }

  private init(_ text: String) { scalars = Array(text.unicodeScalars) }

  private mutating func next() throws(PredicateFailure) -> Token {
    while let scalar = peek(), scalar.properties.isWhitespace { place += 1 }
    let column = place + 1
    guard let first = peek() else { return Token(kind: .end, column: column) }
    let kind: Token.Kind =
      switch first {
      case "\"", "'": .text(try text(until: first))
      case "`": .name(try quotedName())
      case _ where Self.isDigit(first): .number(try number())
      case _ where Self.isNamePart(first): .word(name())
      default: .symbol(try symbol())
      }
    return Token(kind: kind, column: column)
  }

  private func peek() -> Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || isDigit(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  private mutating func name() -> String {
    let start = place
    while let scalar = peek(), Self.isNamePart(scalar) { place += 1 }
    return string(scalars[start..<place])
  }

  private mutating func quotedName() throws(PredicateFailure) -> String {
    let start = place
    place += 1
    let name = name()
    guard peek() == "`", !name.isEmpty else {
      throw PredicateFailure(start + 1, "a name in backquotes has no end: write `name`")
    }
    place += 1
    return name
  }

  private mutating func symbol() throws(PredicateFailure) -> String {
    let rest = scalars[place...].prefix(2)
    guard let symbol = Self.symbols.first(where: { rest.starts(with: $0.unicodeScalars) }) else {
      throw PredicateFailure(place + 1, "unexpected \(quoted(String(scalars[place])))")
    }
    place += symbol.unicodeScalars.count
    return symbol
  }

  // MARK: Numbers

  /// Reads digits with a fraction or an exponent, or hexadecimal digits after `0x`.
  private mutating func number() throws(PredicateFailure) -> String {
    let start = place
    var text = name()
    // An exponent ends in its sign here, and continues after it.
    let isHexadecimal = text.hasPrefix("0x")
    if !isHexadecimal, text.last == "e" || text.last == "E" { text += exponent() }
    if !isHexadecimal, peek() == ".", place + 1 < scalars.count, Self.isDigit(scalars[place + 1]) {
      place += 1
      text += "." + name()
      if text.last == "e" || text.last == "E" { text += exponent() }
    }
    let isNumber = isHexadecimal ? UInt64(text.dropFirst(2), radix: 16) != nil : Double(text) != nil
    guard isNumber else { throw PredicateFailure(start + 1, "\(quoted(shortened(text))) is not a number") }
    return isHexadecimal ? String(UInt64(text.dropFirst(2), radix: 16) ?? 0) : text
  }

  private mutating func exponent() -> String {
    guard let sign = peek(), sign == "+" || sign == "-" else { return "" }
    place += 1
    return String(sign) + name()
  }

  // MARK: Texts

  /// Reads a text, with the escapes of JSON.
  private mutating func text(until quote: Unicode.Scalar) throws(PredicateFailure) -> String {
    let start = place
    place += 1
    var text: [Unicode.Scalar] = []
    while let scalar = peek() {
      place += 1
      switch scalar {
      case quote: return string(text[...])
      case "\\": text.append(try escape())
      default: text.append(scalar)
      }
    }
    throw PredicateFailure(start + 1, "a text has no end: add \(quote)")
  }

  private func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  private mutating func escape() throws(PredicateFailure) -> Unicode.Scalar {
    let column = place
    defer { place += 1 }
    switch peek() {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "\"": return "\""
    case "'": return "'"
    case "\\": return "\\"
    case "/": return "/"
    case "u": return try unicodeEscape(column)
    default: throw PredicateFailure(column, "unknown escape: write \\\\ for a backslash")
    }
  }

  /// Reads the digits of `\u00e9`, or of two of them for a character beyond the first 65,536.
  private mutating func unicodeEscape(_ column: Int) throws(PredicateFailure) -> Unicode.Scalar {
    func failure() -> PredicateFailure { PredicateFailure(column, "an escape needs four hexadecimal digits: \\u00e9") }
    guard let high = unit(at: place + 1) else { throw failure() }
    place += 4
    if let scalar = Unicode.Scalar(high) { return scalar }
    // A surrogate pair.
    let isPair = scalars[min(place + 1, scalars.count)...].starts(with: ["\\", "u"])
    guard isPair, let low = unit(at: place + 3), (0xD800...0xDBFF).contains(high), (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    else { throw failure() }
    place += 6
    return scalar
  }

  private func unit(at place: Int) -> UInt32? {
    guard place + 4 <= scalars.count else { return nil }
    let digits = scalars[place..<place + 4]
    let isHexadecimal = digits.allSatisfy { $0.properties.isASCIIHexDigit }
    return isHexadecimal ? UInt32(string(digits), radix: 16) : nil
  }
}
