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
      // Also escape characters that move a terminal's cursor or that some readers treat as line breaks.
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: unicodeScalars.append(scalar)
      }
    }
    self += "\""
  }
}
