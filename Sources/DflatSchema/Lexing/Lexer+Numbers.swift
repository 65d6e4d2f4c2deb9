extension Lexer {
  /// Scans all characters that are joined to a number before classifying it, so that `12abc` is one error, not two
  /// tokens.
  mutating func scanNumber() {
    let start = position
    position += 1
    while let byte = current {
      let isExponentSign =
        (byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")) && isExponentMark(before: position, from: start)
      guard byte.isIdentifierPart || byte == UInt8(ascii: ".") || isExponentSign else { break }
      position += 1
    }
    let literal = text.bytes[start..<position]
    if let kind = NumberForm.kind(of: literal) {
      append(kind, from: start)
    } else {
      append(.invalid, from: start)
      report(
        at: start, "'\(text.string(start..<position))' is not a number",
        advice: "write it as 12, -0x1F, 1.5, 2e-3, 0x1.8p3, inf or nan")
    }
  }

  private func isExponentMark(before position: Int, from start: Int) -> Bool {
    let literal = text.bytes[start..<position]
    guard let last = literal.last, position - start > 1 else { return false }
    let isHexadecimal = literal.prefix(3).contains { $0 | 0x20 == UInt8(ascii: "x") }
    return last | 0x20 == UInt8(ascii: isHexadecimal ? "p" : "e")
  }
}

/// Classifies the grammar's dec_integer_constant, hex_integer_constant, dec_float_constant, hex_float_constant and
/// special_float_constant.
private enum NumberForm {
  static func kind(of literal: ArraySlice<UInt8>) -> Token.Kind? {
    var rest = literal
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    let word = String(decoding: rest, as: UTF8.self).lowercased()
    if word == "inf" || word == "infinity" || word == "nan" { return .floating }
    if rest.first == UInt8(ascii: "0"), rest.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") {
      return digits(rest.dropFirst(2), isDigit: \.isHexDigit, exponent: UInt8(ascii: "p"), needsExponent: true)
    }
    return digits(rest, isDigit: \.isASCIIDigit, exponent: UInt8(ascii: "e"), needsExponent: false)
  }

  private static func digits(
    _ literal: ArraySlice<UInt8>, isDigit: (UInt8) -> Bool, exponent: UInt8, needsExponent: Bool
  ) -> Token.Kind? {
    let whole = literal.prefix(while: isDigit)
    var rest = literal.dropFirst(whole.count)
    if rest.isEmpty { return whole.isEmpty ? nil : .integer }
    var fractionCount = 0
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      fractionCount = rest.prefix(while: isDigit).count
      rest = rest.dropFirst(fractionCount)
    }
    guard whole.count + fractionCount > 0 else { return nil }
    guard let mark = rest.first else { return needsExponent ? nil : .floating }
    guard mark | 0x20 == exponent else { return nil }
    rest = rest.dropFirst()
    if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
    return !rest.isEmpty && rest.allSatisfy(\.isASCIIDigit) ? .floating : nil
  }
}
