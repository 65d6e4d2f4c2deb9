/// Parses JSON text according to RFC 8259: UTF-8, no comments, no trailing commas. Names within an object must be
/// unique.
///
/// The `flatc` dialect also accepts that program's extensions (JSONParser+Flatc.swift).
struct JSONParser {
  enum Dialect {
    case standard
    case flatc
  }

  struct Failure: Error, Equatable {
    /// The line number in the text, starting at 1.
    let line: Int
    let message: String
  }

  /// The maximum nesting of arrays and objects. Deeper text is refused before it exhausts the stack.
  static let maximumDepth = 512

  let bytes: [UInt8]
  let dialect: Dialect
  var position = 0
  private var depth = 0

  static func parse(_ bytes: [UInt8], dialect: Dialect = .standard) throws(Failure) -> JSONValue {
    var parser = JSONParser(bytes: bytes, dialect: dialect)
    parser.skipByteOrderMark()
    try parser.skipSpace()
    let value = try parser.value()
    try parser.skipSpace()
    guard parser.position == bytes.count else {
      throw parser.failure("there is text after the value")
    }
    return value
  }

  /// Parses values with white space between them: lines of JSON, or a single value.
  static func parseSequence(_ bytes: [UInt8], dialect: Dialect = .standard) throws(Failure) -> [JSONValue] {
    var parser = JSONParser(bytes: bytes, dialect: dialect)
    var values: [JSONValue] = []
    parser.skipByteOrderMark()
    try parser.skipSpace()
    while parser.position < bytes.count {
      values.append(try parser.value())
      try parser.skipSpace()
    }
    return values
  }

  private init(bytes: [UInt8], dialect: Dialect) {
    self.bytes = bytes
    self.dialect = dialect
  }

  private mutating func value() throws(Failure) -> JSONValue {
    guard let byte = peek() else {
      throw failure("the text ends where a value is expected")
    }
    if dialect == .flatc, let word = try bareWord() {
      return word
    }
    switch byte {
    case UInt8(ascii: "{"): return try nested { parser throws(Failure) in try parser.object() }
    case UInt8(ascii: "["): return try nested { parser throws(Failure) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw failure("a value is expected here")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(Failure) -> JSONValue
  ) throws(Failure) -> JSONValue {
    guard depth < Self.maximumDepth else {
      throw failure("nested deeper than \(Self.maximumDepth) levels")
    }
    depth += 1
    let value = try body(&self)
    depth -= 1
    return value
  }

  private mutating func array() throws(Failure) -> JSONValue {
    var elements: [JSONValue] = []
    position += 1
    try skipSpace()
    if skip("]") {
      return .array(elements)
    }
    while true {
      try skipSpace()
      // flatc allows a comma after the last element.
      if dialect == .flatc, skip("]") {
        return .array(elements)
      }
      elements.append(try value())
      try skipSpace()
      if skip("]") {
        return .array(elements)
      }
      guard skip(",") else {
        throw failure("',' or ']' is expected here")
      }
    }
  }

  private mutating func object() throws(Failure) -> JSONValue {
    var members: [JSONObject.Member] = []
    position += 1
    try skipSpace()
    if skip("}") {
      return .object(JSONObject([:]))
    }
    while true {
      try skipSpace()
      // flatc allows a comma after the last member.
      if dialect == .flatc, skip("}") {
        break
      }
      // Parse the name, the colon and the value.
      let name = try name()
      try skipSpace()
      guard skip(":") else {
        throw failure("':' is expected here")
      }
      try skipSpace()
      members.append(JSONObject.Member(name: name, value: try value()))
      try skipSpace()
      if skip("}") {
        break
      }
      guard skip(",") else {
        throw failure("',' or '}' is expected here")
      }
    }
    // Which of two values counts would depend on the reader.
    guard let object = JSONObject(unsorted: members) else {
      throw failure("an object contains a name twice")
    }
    return .object(object)
  }

  private mutating func name() throws(Failure) -> String {
    if dialect == .flatc, let identifier = identifier() {
      return identifier
    }
    guard peek() == UInt8(ascii: "\"") else {
      throw failure("a name in double quotes is expected here")
    }
    return try string()
  }

  private mutating func literal(_ text: String, _ value: JSONValue) throws(Failure) -> JSONValue {
    guard bytes[position...].starts(with: text.utf8) else {
      throw failure("a value is expected here")
    }
    position += text.utf8.count
    return value
  }
}

// MARK: - Numbers

extension JSONParser {
  private mutating func number() throws(Failure) -> JSONValue {
    // Scan the grammar of JSON, and convert the text afterwards.
    let start = position
    var isWhole = true
    // Find the end of the number. Zeros can't lead it.
    _ = skip("-")
    if !skip("0") {
      try digits()
    }
    if skip(".") {
      isWhole = false
      try digits()
    }
    if skip("e") || skip("E") {
      isWhole = false
      if !skip("+") {
        _ = skip("-")
      }
      try digits()
    }
    // Without a fraction and an exponent the number is an integer, unless it is too large. -0 is a double, to keep its
    // sign.
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole, text != "-0" {
      if let int = Int64(text) {
        return .int(int)
      }
      if let uint = UInt64(text) {
        return .uint(uint)
      }
    }
    guard let double = Double(text), double.isFinite else {
      throw failure("the number \(shortened(text)) is too large")
    }
    guard !isWhole || Self.isExact(double, of: text) else {
      throw failure("the number \(shortened(text)) has more digits than can be stored: write it as a string")
    }
    return .double(double)
  }

  /// The number of decimal digits that tell any two doubles apart.
  private static let doublePrecision = 17

  /// Returns true if a double is the whole number of a text, or one that has no more digits than doubles are written with.
  private static func isExact(_ double: Double, of text: String) -> Bool {
    let digits = text.drop { $0 == "-" }
    return digits.utf8.reversed().drop { $0 == UInt8(ascii: "0") }.count <= doublePrecision
      || UInt128(digits).map { $0 == UInt128(exactly: double.magnitude) } ?? false
  }

  private mutating func digits() throws(Failure) {
    let start = position
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      position += 1
    }
    guard position > start else {
      throw failure("a digit is expected here")
    }
  }
}

// MARK: - Strings

extension JSONParser {
  private mutating func string() throws(Failure) -> String {
    position += 1
    var content: [UInt8] = []
    // Copy the bytes between escapes in runs.
    var runStart = position
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        content.append(contentsOf: bytes[runStart..<position])
        position += 1
        // JSON is UTF-8, but the input may be any bytes.
        guard let text = String(validating: content, as: UTF8.self) else {
          throw failure("a string is not valid UTF-8")
        }
        return text
      case UInt8(ascii: "\\"):
        content.append(contentsOf: bytes[runStart..<position])
        position += 1
        content.append(contentsOf: try escape().utf8)
        runStart = position
      case 0..<0x20:
        throw failure("a control character in a string must be escaped")
      default:
        position += 1
      }
    }
    throw failure("the text ends inside a string")
  }

  private mutating func escape() throws(Failure) -> String {
    guard let byte = peek() else {
      throw failure("the text ends inside a string")
    }
    position += 1
    switch byte {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return String(try unicodeEscape())
    default: throw failure("a string contains an unknown escape sequence")
    }
  }

  private mutating func unicodeEscape() throws(Failure) -> Unicode.Scalar {
    let unit = try fourHexDigits()
    if let scalar = Unicode.Scalar(unit) {
      return scalar
    }
    guard UTF16.isLeadSurrogate(UInt16(unit)), skip("\\"), skip("u") else {
      throw failure("a string contains half of a surrogate pair")
    }
    let second = try fourHexDigits()
    guard UTF16.isTrailSurrogate(UInt16(second)),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
    else {
      throw failure("a string contains half of a surrogate pair")
    }
    return scalar
  }

  private mutating func fourHexDigits() throws(Failure) -> UInt32 {
    let end = position + 4
    guard end <= bytes.count,
      bytes[position..<end].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16)
    else {
      throw failure("\\u needs four hexadecimal digits")
    }
    position = end
    return unit
  }
}

// MARK: - Position

extension JSONParser {
  func peek() -> UInt8? {
    position < bytes.count ? bytes[position] : nil
  }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: character) else {
      return false
    }
    position += 1
    return true
  }

  private mutating func skipSpace() throws(Failure) {
    while let byte = peek() {
      if byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        position += 1
      } else {
        guard dialect == .flatc, try skipComment() else {
          return
        }
      }
    }
  }

  private mutating func skipByteOrderMark() {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
    }
  }

  func failure(_ message: String) -> Failure {
    let end = min(position, bytes.count)
    return Failure(line: 1 + bytes[..<end].count { $0 == UInt8(ascii: "\n") }, message: message)
  }
}
