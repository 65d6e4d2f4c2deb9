/// Formats values as Swift literals.
enum SwiftLiterals {
  /// Returns a number, with its digits in groups of three if there are at least seven, as `swift format` demands.
  static func decimal(_ number: Int128) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, digits.count >= 7, (digits.count - index) % 3 == 0 { text += "_" }
      text.append(digit)
    }
    return text
  }

  /// Returns a text as a string literal.
  static func quoted(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// Returns a text as it stands between the quotes of a string literal.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // Control and format characters, such as those that reverse the direction of text, are invisible in an editor.
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
