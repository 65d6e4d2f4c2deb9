// What flatc's JSON has beyond the RFC, so that its output can be pasted: names and enum values without quotes, `inf` and
// `nan`, trailing commas, comments.
extension JSONParser {
  /// A word without quotes as a string; nil when there is none, or when it is one of JSON's own.
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
      throw failure("a number should be after the sign")
    }
    return .string(sign + word)
  }

  /// A name without quotes; nil when there is none.
  mutating func identifier() -> String? {
    let start = position
    while let byte = peek(), Self.isWordByte(byte), position > start || !Self.isDigit(byte) {
      position += 1
    }
    return position > start ? String(decoding: bytes[start..<position], as: UTF8.self) : nil
  }

  /// Passes over one comment, of either kind.
  mutating func skipComment() throws(Failure) -> Bool {
    guard peek() == UInt8(ascii: "/"), position + 1 < bytes.count else {
      return false
    }
    switch bytes[position + 1] {
    case UInt8(ascii: "/"):
      position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      return true
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
      throw failure("the text ends within a comment")
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
