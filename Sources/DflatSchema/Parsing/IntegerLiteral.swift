/// The integers of the schema language: `12`, `-0x1F`.
enum IntegerLiteral {
  /// Returns the value of an integer literal, or nil for any other text and for more than 128 bits.
  static func value(of literal: String) -> Int128? {
    var digits = literal[...]
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits = digits.dropFirst() }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    if isHexadecimal { digits = digits.dropFirst(2) }
    guard digits.utf8.first?.isHexDigit == true else { return nil }
    return Int128((isNegative ? "-" : "") + digits, radix: isHexadecimal ? 16 : 10)
  }
}
