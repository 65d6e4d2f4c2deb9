/// A lexer's position in a text, and what the lexers of FlatBuffers schemas and of GraphQL documents share.
package protocol TextScanner {
  var text: SourceText { get }
  var position: Int { get set }
  var diagnostics: [Diagnostic] { get set }
}

extension TextScanner {
  /// The byte at the position, or nil at the end.
  package var current: UInt8? { byte(at: position) }

  package func byte(at position: Int) -> UInt8? { position < text.bytes.count ? text.bytes[position] : nil }

  package mutating func report(at position: Int, _ message: String, advice: String) {
    diagnostics.append(Diagnostic(text.location(at: position), message, advice: advice))
  }

  /// Moves on behind the remaining bytes of a character of several bytes.
  package mutating func skipRestOfCharacter() {
    while current.map({ $0 & 0xC0 == 0x80 }) == true { position += 1 }
  }

  // MARK: Escapes

  /// Appends the byte that a backslash before a letter or mark means, for the escapes of JSON except `\u`. Reports an
  /// escape that means nothing, and returns false.
  ///
  /// - Parameters:
  ///   - letter: The byte before the position.
  ///   - start: The backslash's position.
  package mutating func appendEscaped(
    _ letter: UInt8, from start: Int, to content: inout [UInt8], advice: String
  ) -> Bool {
    guard let byte = Self.escapedByte(letter) else {
      // Include the rest of a character of several bytes in the message.
      skipRestOfCharacter()
      report(at: start, "'\(text.string(start..<position))' is not an escape sequence", advice: advice)
      return false
    }
    content.append(byte)
    return true
  }

  private static func escapedByte(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    default: nil
    }
  }

  /// Scans that many hexadecimal digits, up to eight. Returns nil, and stays, if there are fewer.
  package mutating func scanHexDigits(_ count: Int) -> UInt32? {
    guard position + count <= text.bytes.count else { return nil }
    let digits = text.bytes[position..<(position + count)]
    guard digits.allSatisfy(\.isHexDigit) else { return nil }
    position += count
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Scans the four digits behind `\u`. As in JSON, a character beyond U+FFFF is two escapes, a surrogate pair. Returns
  /// the surrogate itself if it isn't half of a pair, and nil if there are no four digits.
  package mutating func scanUTF16Escape() -> UInt32? {
    guard let first = scanHexDigits(4) else { return nil }
    guard (0xD800...0xDBFF).contains(first), current == UInt8(ascii: "\\"), byte(at: position + 1) == UInt8(ascii: "u")
    else { return first }
    let start = position
    position += 2
    if let second = scanHexDigits(4), (0xDC00...0xDFFF).contains(second) {
      return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }
    position = start
    return first
  }
}
