import DflatSupport

extension GraphQLLexer {
  // MARK: Strings on a line

  /// Scans a string in double quotes, and resolves its escapes.
  mutating func scanString() {
    let start = position
    position += 1
    var content: [UInt8] = []
    var isGood = true
    // Collect the contents up to the closing quote.
    while true {
      guard let byte = current, !byte.isLineEnd else {
        report(
          at: start, "this string does not end on its line",
          advice: "close it with '\"'; write text of several lines between '\"\"\"'")
        isGood = false
        break
      }
      if byte == UInt8(ascii: "\"") {
        position += 1
        break
      }
      // A bad escape doesn't end the string, so that one error is reported, not several.
      if byte == UInt8(ascii: "\\") {
        if !scanEscape(into: &content) { isGood = false }
      } else {
        content.append(byte)
        position += 1
      }
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
    if byte == UInt8(ascii: "u") { return scanUnicodeEscape(from: start, into: &content) }
    return appendEscaped(
      byte, from: start, to: &content,
      advice: "write one of \\n \\t \\r \\b \\f \\\" \\\\ \\/ \\uHHHH \\u{H…}")
  }

  /// Scans the digits of `\uHHHH`, of a surrogate pair, or of `\u{H…}`.
  private mutating func scanUnicodeEscape(from start: Int, into content: inout [UInt8]) -> Bool {
    let value: UInt32
    if current == UInt8(ascii: "{") {
      position += 1
      let first = position
      while current?.isHexDigit == true { position += 1 }
      let digits = text.string(first..<position)
      guard current == UInt8(ascii: "}"), !digits.isEmpty else {
        report(at: start, "'\\u{' is not followed by hexadecimal digits and '}'", advice: "write '\\u{1F600}'")
        return false
      }
      position += 1
      // More digits than a number has: no character.
      value = UInt32(digits, radix: 16) ?? .max
    } else {
      guard let number = scanUTF16Escape() else {
        report(at: start, "'\\u' is not followed by four hexadecimal digits", advice: "write '\\u00E9'")
        return false
      }
      value = number
    }
    guard let scalar = Unicode.Scalar(value) else {
      report(
        at: start, "'\(text.string(start..<position))' is not a Unicode character",
        advice: "write a surrogate pair, as '\\uD83D\\uDE00', or the character itself")
      return false
    }
    content.append(contentsOf: Array(String(scalar).utf8))
    return true
  }

  // MARK: Block strings

  /// True at three quotes.
  var isAtBlockQuote: Bool { isAtQuotes(position) }

  private func isAtQuotes(_ position: Int) -> Bool {
    (position..<position + 3).allSatisfy { byte(at: $0) == UInt8(ascii: "\"") }
  }

  /// Scans a string between three quotes. Its only escape is `\"""`.
  mutating func scanBlockString() {
    let start = position
    position += 3
    var content: [UInt8] = []
    while let byte = current {
      if isAtBlockQuote {
        position += 3
        list.strings[list.tokens.count] = String(decoding: Self.withoutIndentation(content), as: UTF8.self)
        append(.string, from: start)
        return
      }
      if byte == UInt8(ascii: "\\"), isAtQuotes(position + 1) {
        content += [UInt8](repeating: UInt8(ascii: "\""), count: 3)
        position += 4
      } else {
        content.append(byte)
        position += 1
      }
    }
    append(.invalid, from: start)
    report(at: start, "this block string is not closed", advice: "close it with '\"\"\"'")
  }

  /// Returns the value of a block string: its lines without the indentation that all of them have, apart from the first,
  /// and without blank lines at the beginning and the end (section 2.9.4, `BlockStringValue`).
  static func withoutIndentation(_ content: [UInt8]) -> [UInt8] {
    var lines = lines(of: content)
    let isBlank = { (line: ArraySlice<UInt8>) in line.allSatisfy(\.isIndentation) }
    let indentation =
      lines.dropFirst().filter { !isBlank($0) }.map { $0.prefix(while: \.isIndentation).count }.min() ?? 0
    for index in lines.indices.dropFirst() { lines[index] = lines[index].dropFirst(indentation) }
    let first = lines.firstIndex { !isBlank($0) } ?? lines.endIndex
    let last = lines.lastIndex { !isBlank($0) } ?? first - 1
    guard first <= last else { return [] }
    return Array(lines[first...last].joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Returns the lines of a text. A line feed, a carriage return, and both together end a line.
  private static func lines(of content: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for (index, byte) in content.enumerated() where byte.isLineEnd {
      let isSecondHalf = byte == UInt8(ascii: "\n") && index > 0 && content[index - 1] == UInt8(ascii: "\r")
      if !isSecondHalf { lines.append(content[start..<index]) }
      start = index + 1
    }
    return lines + [content[start...]]
  }
}

extension UInt8 {
  /// True for a space or a tab.
  fileprivate var isIndentation: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
