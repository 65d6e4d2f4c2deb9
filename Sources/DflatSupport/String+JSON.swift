extension Unicode.Scalar {
  /// True for a character that isn't seen, or that changes how its neighbors are seen: control characters, which move a
  /// terminal's cursor; line and paragraph separators; characters of no width; and those that reverse the direction of
  /// text.
  package var isHidden: Bool {
    if isASCII { return value < 0x20 || value == 0x7F }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  /// The character's escape sequence in a JSON string.
  package var jsonEscape: String {
    String(self).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

extension String {
  /// Appends a string as JSON, in double quotes.
  package mutating func appendJSON(_ string: String) {
    self += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": self += "\\\""
      case "\\": self += "\\\\"
      case "\n": self += "\\n"
      case "\r": self += "\\r"
      case "\t": self += "\\t"
      // JSON requires it of control characters. The others would deceive whoever sees the text on a terminal.
      case _ where scalar.isHidden: self += scalar.jsonEscape
      default: unicodeScalars.append(scalar)
      }
    }
    self += "\""
  }
}
