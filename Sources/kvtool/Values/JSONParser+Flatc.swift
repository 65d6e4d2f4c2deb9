// The extensions of flatc's JSON to the RFC, so that users can paste its output: unquoted names and enum values, `inf`
// and `nan`, trailing commas, comments.
extension JSONParser {
  /// Reads an unquoted word as a string. Returns nil if there is none, or if it is a literal of JSON.
  mutating func bareWord() throws(Failure) -> JSONValue? {
    let start = position
    let sign = skip("-") ? "-" : ""
    if sign.isEmpty {
      _ = skip("+")
    }
    guard let word = identifier() else {
      position = start
      return nil
    }
    let isSigned = position - start > word.utf8.count
    guard isSigned || !["true", "false", "null"].contains(word) else {
      position = start
      return nil
    }
    guard !isSigned || ["inf", "infinity", "nan"].contains(word) else {
      throw failure("a number is expected after the sign")
    }
    return .string(sign + word)
  }

  /// Reads an unquoted name. Returns nil if there is none.
  mutating func identifier() -> String? {
    let start = position
    while let byte = peek(), Self.isWordByte(byte), position > start || !Self.isDigit(byte) {
      position += 1
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Skips one comment of either kind. Returns false if there is none.
  mutating func skipComment() throws(Failure) -> Bool {
    guard peek() == UInt8(ascii: "/"), position + 1 < bytes.count else {
      return false
    }
    switch bytes[position + 1] {
    // To the end of the line.
    case UInt8(ascii: "/"):
      position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      return true
    // To the closing mark. A second star may belong to it, as in `**/`.
    case UInt8(ascii: "*"):
      position += 2
      while position + 1 < bytes.count {
        if skip("*") {
          if skip("/") {
            return true
          }
        } else {
          position += 1
        }
      }
      throw failure("the text ends inside a comment")
    default:
      return false
    }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
