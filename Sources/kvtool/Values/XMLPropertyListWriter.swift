import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes XML property lists in the form of `plutil` and `defaults export`.
struct XMLPropertyListWriter {
  private var text = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">

    """

  /// Returns the document, with a trailing newline.
  ///
  /// The references of keyed archives become dictionaries, and dates lose fractions of a second that have no exact
  /// text.
  ///
  /// - Throws: ``PropertyListFailure`` for a value without an XML form: control characters, and dates outside the years
  ///   0 to 9999.
  static func string(_ root: PropertyListNode) throws(PropertyListFailure) -> String {
    var writer = XMLPropertyListWriter()
    try writer.append(root, indent: 0)
    return writer.text + "</plist>\n"
  }

  private mutating func append(_ node: PropertyListNode, indent: Int) throws(PropertyListFailure) {
    switch node {
    case .bool(let bool): line(bool ? "<true/>" : "<false/>", indent)
    case .int(let int): line("<integer>\(int)</integer>", indent)
    case .uint(let uint): line("<integer>\(uint)</integer>", indent)
    case .real(let double): line("<real>\(double.exactDescription)</real>", indent)
    // XML has no absence. Encoders write this string, so that a string of this text becomes an absence.
    case .null: line("<string>$null</string>", indent)
    case .string(let string): line("<string>\(try Self.escaped(string))</string>", indent)
    case .data(let bytes): line("<data>\(Data(bytes).base64EncodedString())</data>", indent)
    case .date(let seconds):
      // Dates that no timestamp represents exactly lose their fraction.
      guard let date = TimestampText.string(seconds) ?? TimestampText.string(seconds.rounded(.down)) else {
        throw PropertyListFailure("an XML property list cannot hold a date outside the years 0 to 9999")
      }
      line("<date>\(date)</date>", indent)
    // XML has no references of keyed archives. Encoders write such a dictionary.
    case .uid(let uid):
      let value = Int64(exactly: uid).map(PropertyListNode.int) ?? .uint(uid)
      try append(.dictionary([PropertyListNode.Member(key: "CF$UID", value: value)]), indent: indent)
    case .array(let nodes):
      line("<array>", indent)
      for node in nodes {
        try append(node, indent: indent + 1)
      }
      line("</array>", indent)
    case .dictionary(let members):
      line("<dict>", indent)
      // Sort the keys, so that equal lists have equal texts.
      for member in members.sorted(by: { $0.key.precedesInBytes($1.key) }) {
        line("<key>\(try Self.escaped(member.key))</key>", indent + 1)
        try append(member.value, indent: indent + 1)
      }
      line("</dict>", indent)
    }
  }

  private mutating func line(_ content: String, _ indent: Int) {
    text += String(repeating: "\t", count: indent) + content + "\n"
  }

  private static func escaped(_ string: String) throws(PropertyListFailure) -> String {
    var escaped = ""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // Readers turn a carriage return into a newline unless it is a character reference.
      case "\r": escaped += "&#13;"
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
        throw PropertyListFailure("an XML property list cannot hold the character U+\(hex(scalar)): use JSON")
      // On a terminal, the characters themselves would hide or change what is printed.
      case _ where scalar.isHidden: escaped += "&#x\(hex(scalar));"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func hex(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
