import DflatSupport

/// Splits a schema into the tokens of https://flatbuffers.dev/grammar/.
///
/// It continues after an error, so that one run reports all errors.
struct Lexer: TextScanner {
  let text: SourceText
  var position = 0
  var list = TokenList()
  var diagnostics: [Diagnostic] = []
  /// The comments, including their marks, in the order of the text.
  private var comments: [Range<Int>] = []
  private var pendingDocumentation: [String] = []
  /// True if a line has begun since the last token.
  private var isAtLineStart = true

  /// Returns the tokens of a text, or nil if it has bytes that are not UTF-8 outside of comments. A comment in another
  /// encoding is only a warning, because flatc skips comments without decoding them.
  static func tokens(of text: SourceText) -> (list: TokenList?, diagnostics: [Diagnostic]) {
    var lexer = Lexer(text: text)
    lexer.run()
    guard let first = firstInvalidUTF8(in: text.bytes) else { return (lexer.list, lexer.diagnostics) }
    if let position = lexer.firstInvalidUTF8OutsideComments(from: first) {
      return (nil, [Diagnostic(text.location(at: position), "this is not UTF-8", advice: "save the file as UTF-8")])
    }
    let warning = Diagnostic(
      text.location(at: first), "this comment is not UTF-8", advice: "save the file as UTF-8", severity: .warning)
    return (lexer.list, lexer.diagnostics + [warning])
  }

  /// Skips from each comment with an invalid byte to the comment's end, because what begins a character there may end
  /// behind it.
  private func firstInvalidUTF8OutsideComments(from first: Int) -> Int? {
    var invalid: Int? = first
    for comment in comments {
      guard let position = invalid, position >= comment.lowerBound else { break }
      if comment.contains(position) { invalid = Self.firstInvalidUTF8(in: text.bytes, from: comment.upperBound) }
    }
    return invalid
  }

  private static func firstInvalidUTF8(in bytes: [UInt8], from start: Int = 0) -> Int? {
    bytes.withUnsafeBytes { bytes in
      UTF8Check.firstInvalid(in: UnsafeRawBufferPointer(rebasing: bytes[start...])).map { start + $0 }
    }
  }

  private init(text: SourceText) { self.text = text }

  private mutating func run() {
    if text.hasByteOrderMark { position = 3 }
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        isAtLineStart = true
        position += 1
      case UInt8(ascii: " "), UInt8(ascii: "\t"):
        position += 1
      case UInt8(ascii: "/"):
        scanComment()
      default:
        scanToken(byte)
        isAtLineStart = false
      }
    }
    append(.end, from: position)
  }

  /// Appends the token that ends at the current position, with the documentation before it.
  mutating func append(_ kind: Token.Kind, from start: Int) {
    if !pendingDocumentation.isEmpty {
      list.documentation[list.tokens.count] = pendingDocumentation
      pendingDocumentation = []
    }
    list.tokens.append(Token(kind: kind, range: start..<position))
  }

  private mutating func scanToken(_ byte: UInt8) {
    let start = position
    if let mark = Self.marks[byte] {
      if mark == .dot, self.byte(at: position + 1)?.isASCIIDigit == true {
        scanNumber()
      } else {
        position += 1
        append(mark, from: start)
      }
    } else if byte.isIdentifierStart {
      while current?.isIdentifierPart == true { position += 1 }
      append(.identifier, from: start)
    } else if byte.isASCIIDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
      scanNumber()
    } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      scanString(endingWith: byte)
    } else {
      scanUnexpectedCharacter()
    }
  }

  private static let marks: [UInt8: Token.Kind] = [
    UInt8(ascii: "{"): .leftBrace, UInt8(ascii: "}"): .rightBrace,
    UInt8(ascii: "("): .leftParenthesis, UInt8(ascii: ")"): .rightParenthesis,
    UInt8(ascii: "["): .leftBracket, UInt8(ascii: "]"): .rightBracket,
    UInt8(ascii: ":"): .colon, UInt8(ascii: ";"): .semicolon, UInt8(ascii: ","): .comma,
    UInt8(ascii: "="): .equals, UInt8(ascii: "."): .dot,
  ]

  /// Reports a run of characters that begin no token as one error.
  private mutating func scanUnexpectedCharacter() {
    let start = position
    position += 1
    skipRestOfCharacter()
    let character = text.string(start..<position)
    let isPrintable = character.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    let name =
      isPrintable
      ? "'\(character)'" : "U+\(String(character.unicodeScalars.first?.value ?? 0, radix: 16, uppercase: true))"
    while let byte = current, byte >= 0x80 || byte.isIdentifierPart { position += 1 }
    append(.invalid, from: start)
    report(
      at: start, "\(name) is not allowed here",
      advice: "write names in ASCII letters, digits and underscores, and text in quotes")
  }

  private mutating func scanComment() {
    let start = position
    switch byte(at: position + 1) {
    case UInt8(ascii: "/"):
      // To the end of the line. It may be documentation.
      while let byte = current, !byte.isLineEnd { position += 1 }
      comments.append(start..<position)
      takeDocumentation(start..<position)
    case UInt8(ascii: "*"):
      position += 2
      // To the closing mark, over any number of lines.
      while let byte = current, !(byte == UInt8(ascii: "*") && self.byte(at: position + 1) == UInt8(ascii: "/")) {
        if byte.isLineEnd { isAtLineStart = true }
        position += 1
      }
      if current == nil {
        report(at: start, "this comment is not closed", advice: "close it with '*/'")
      } else {
        position += 2
      }
      comments.append(start..<position)
    default:
      position += 1
      append(.invalid, from: start)
      report(at: start, "a '/' alone does not begin a comment", advice: "begin a comment with '//' or '/*'")
    }
  }

  /// Keeps a `///` line as documentation of the next token. Four or more slashes are a hand-drawn line.
  private mutating func takeDocumentation(_ range: Range<Int>) {
    var line = text.bytes[range]
    guard line.starts(with: [UInt8](repeating: UInt8(ascii: "/"), count: 3)) else { return }
    line = line.dropFirst(3)
    guard line.first != UInt8(ascii: "/") else { return }
    guard isAtLineStart else {
      report(
        at: range.lowerBound, "a documentation comment can't follow other text on its line",
        advice: "put it on its own line above the declaration that it describes, or begin it with '//'")
      return
    }
    if line.first == UInt8(ascii: " ") { line = line.dropFirst() }
    while line.last == UInt8(ascii: " ") || line.last == UInt8(ascii: "\t") { line = line.dropLast() }
    pendingDocumentation.append(String(decoding: line, as: UTF8.self))
  }
}

extension UInt8 {
  /// True for a line feed or a carriage return. Swift also ends a line at a carriage return, so that none may appear in
  /// a comment's text.
  package var isLineEnd: Bool { self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r") }

  package var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

  package var isHexDigit: Bool {
    let lower = self | 0x20
    return isASCIIDigit || lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f")
  }

  package var isIdentifierStart: Bool {
    let lower = self | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z") || self == UInt8(ascii: "_")
  }

  package var isIdentifierPart: Bool { isIdentifierStart || isASCIIDigit }
}
