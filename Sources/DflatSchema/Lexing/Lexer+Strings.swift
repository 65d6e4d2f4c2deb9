import DflatSupport

extension Lexer {
  /// Scans a string in double or single quotes, and resolves its escapes: those of JSON, `\'`, and, as in flatc, `\xHH`
  /// for a byte of UTF-8.
  mutating func scanString(endingWith quote: UInt8) {
    let start = position
    position += 1
    var content: [UInt8] = []
    var isGood = true
    let mark = quote == UInt8(ascii: "'") ? "a single quote" : "'\"'"
    // Collect the contents up to the closing quote.
    while true {
      guard let byte = current, !byte.isLineEnd else {
        report(
          at: start, "this string does not end on its line",
          advice: "close it with \(mark); write line breaks as '\\n'")
        isGood = false
        break
      }
      if byte == quote {
        position += 1
        break
      }
      // A bad escape doesn't end the string, so that one error is reported, not several.
      if byte == UInt8(ascii: "\\") {
        if !scanEscape(into: &content) { isGood = false }
      } else if byte < 0x20 && byte != UInt8(ascii: "\t") {
        report(
          at: position, "a string can't contain a control character",
          advice: "write it as '\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))'")
        isGood = false
        position += 1
      } else {
        content.append(byte)
        position += 1
      }
    }
    // Escapes for bytes may have left an invalid sequence.
    if isGood, content.withUnsafeBytes(UTF8Check.firstInvalid(in:)) != nil {
      report(at: start, "the '\\x' escapes in this string are not valid UTF-8", advice: "write characters as '\\uHHHH'")
      isGood = false
    }
    if isGood { list.strings[list.tokens.count] = String(decoding: content, as: UTF8.self) }
    append(isGood ? .string : .invalid, from: start)
  }

  private mutating func scanEscape(into content: inout [UInt8]) -> Bool {
    let start = position
    position += 1
    // A backslash at the end of the line: the caller reports that the string has no end.
    guard let byte = current, !byte.isLineEnd else { return true }
    position += 1
    switch byte {
    case UInt8(ascii: "'"):
      content.append(byte)
    case UInt8(ascii: "x"):
      guard let value = scanHexDigits(2) else {
        report(at: start, "'\\x' is not followed by two hexadecimal digits", advice: "write '\\x0A' or '\\n'")
        return false
      }
      content.append(UInt8(truncatingIfNeeded: value))
    case UInt8(ascii: "u"):
      return scanUnicodeEscape(from: start, into: &content)
    default:
      return appendEscaped(
        byte, from: start, to: &content,
        advice: "write one of \\n \\t \\r \\b \\f \\\" \\\\ \\/ \\xHH \\uHHHH")
    }
    return true
  }

  /// Scans the digits of `\uHHHH`, or of a surrogate pair.
  private mutating func scanUnicodeEscape(from start: Int, into content: inout [UInt8]) -> Bool {
    guard let value = scanUTF16Escape() else {
      report(at: start, "'\\u' is not followed by four hexadecimal digits", advice: "write '\\u00E9'")
      return false
    }
    guard let scalar = Unicode.Scalar(value) else {
      report(
        at: start, "this is only half of a surrogate pair",
        advice: "write the pair, as '\\uD83D\\uDE00', or the character itself")
      return false
    }
    content.append(contentsOf: Array(String(scalar).utf8))
    return true
  }
}
