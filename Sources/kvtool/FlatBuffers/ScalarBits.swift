import DflatKV
import DflatSchema

/// A scalar as its stored bits in the low bytes, the same for all types, so that reading and writing need not tell them
/// apart.
typealias ScalarBits = UInt64

extension ScalarType {
  /// The stored bits of a whole number in the type's range.
  func bits(of integer: Int128) -> ScalarBits {
    let mask = size == 8 ? ScalarBits.max : (1 << ScalarBits(size * 8)) - 1
    return ScalarBits(truncatingIfNeeded: integer) & mask
  }

  /// The stored bits of a number that the type can hold, or rounds.
  func bits(of number: Double) -> ScalarBits {
    self == .float ? ScalarBits(Float(number).bitPattern) : number.bitPattern
  }

  /// The stored bits of a field's default.
  func defaultBits(_ value: TableDefinition.DefaultValue) -> ScalarBits {
    switch value {
    case .integer(let number): isFloatingPoint ? bits(of: Double(number)) : bits(of: number)
    case .floating(let number): bits(of: number)
    case .none, .null, .string: 0
    }
  }

  /// The whole number that bits of an integer type, or of `bool`, stand for.
  func integer(_ bits: ScalarBits) -> Int128 {
    switch self {
    case .byte: Int128(Int8(truncatingIfNeeded: bits))
    case .short: Int128(Int16(truncatingIfNeeded: bits))
    case .int: Int128(Int32(truncatingIfNeeded: bits))
    case .long: Int128(Int64(truncatingIfNeeded: bits))
    case .bool, .ubyte, .ushort, .uint, .ulong, .float, .double: Int128(bits)
    }
  }

  /// Whether two stored values are equal, as the format has it when it leaves defaults out: a zero's sign doesn't count,
  /// and one that is not a number is equal to itself.
  func isSame(_ left: ScalarBits, _ right: ScalarBits) -> Bool {
    switch self {
    case .float: Self.isSame(Float(bitPattern: UInt32(left)), Float(bitPattern: UInt32(right)))
    case .double: Self.isSame(Double(bitPattern: left), Double(bitPattern: right))
    default: left == right
    }
  }

  private static func isSame<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Bool {
    left == right || left.isNaN && right.isNaN
  }

  /// Appends a stored value, least byte first.
  func append(_ bits: ScalarBits, to bytes: inout [UInt8]) {
    for index in 0..<size {
      bytes.append(UInt8(truncatingIfNeeded: bits >> ScalarBits(index * 8)))
    }
  }
}

// MARK: - JSON

extension ScalarType {
  /// A stored value as `flatc` prints it; what JSON has no number for is quoted, a form that `flatc` reads too.
  func json(_ bits: ScalarBits) -> JSONValue {
    switch self {
    case .bool: .bool(bits != 0)
    case .float: Self.json(Float(bitPattern: UInt32(bits)), StoredValue.float(Float(bitPattern: UInt32(bits))))
    case .double: Self.json(Double(bitPattern: bits), StoredValue.double(Double(bitPattern: bits)))
    case .ulong: Int64(exactly: bits).map(JSONValue.int) ?? .uint(bits)
    default: .int(Int64(integer(bits)))
    }
  }

  private static func json<Number: BinaryFloatingPoint>(_ number: Number, _ value: StoredValue) -> JSONValue {
    number.isNaN ? .string("nan") : value.losslessJSON
  }

  /// The stored bits of a JSON value: a number, a truth value for `bool`, or the text of either.
  func bits(_ json: JSONValue) throws(FlatBufferJSONFailure) -> ScalarBits {
    let bits: ScalarBits? =
      switch self {
      case .bool: Self.truth(json)
      case .float, .double: floatingPoint(json)
      default: integer(json).map { self.bits(of: $0) }
      }
    guard let bits else {
      throw FlatBufferJSONFailure("\(JSONWriter.string(json).prefix(60)) is no \(rawValue): use \(advice)")
    }
    return bits
  }

  private static func truth(_ json: JSONValue) -> ScalarBits? {
    switch json {
    case .bool(true), .int(1), .string("true"), .string("1"): 1
    case .bool(false), .int(0), .string("false"), .string("0"): 0
    default: nil
    }
  }

  private func integer(_ json: JSONValue) -> Int128? {
    let number: Int128? =
      switch json {
      case .int(let int): Int128(int)
      case .uint(let uint): Int128(uint)
      case .string(let text): Int128(text)
      default: nil
      }
    return number.flatMap { range?.contains($0) == true ? $0 : nil }
  }

  /// By way of the digits: a number must not be rounded twice.
  private func floatingPoint(_ json: JSONValue) -> ScalarBits? {
    let text: String? =
      switch json {
      case .string(let text): text
      case .int, .uint, .double: JSONWriter.string(json)
      default: nil
      }
    guard let text, let value = try? ValueText.scalar(text, as: self == .float ? .float : .double) else {
      return nil
    }
    return switch value {
    case .float(let float): ScalarBits(float.bitPattern)
    case .double(let double): double.bitPattern
    default: nil
    }
  }

  private var advice: String {
    switch self {
    case .bool: "true or false"
    case .float, .double: "a number that it can hold, \"inf\", \"-inf\" or \"nan\""
    default: range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" } ?? "a number"
    }
  }
}

extension EnumDefinition {
  /// A stored value as `flatc` prints it: by name, bit flags by their names with spaces between, anything else as a number.
  func json(_ bits: ScalarBits) -> JSONValue {
    let number = base.integer(bits)
    if let value = values.first(where: { $0.number == number }) {
      return .string(value.name)
    }
    if isBitFlags, number != 0 {
      let set = values.filter { base.bits(of: $0.number) & bits != 0 }
      if set.reduce(0, { $0 | base.bits(of: $1.number) }) == bits {
        return .string(set.map(\.name).joined(separator: " "))
      }
    }
    return base.json(bits)
  }

  /// The stored bits of a name, of several names where they are bit flags, or of a number.
  func bits(_ json: JSONValue) throws(FlatBufferJSONFailure) -> ScalarBits {
    guard case .string(let text) = json, text.first?.isLetter == true || text.first == "_" else {
      return try base.bits(json)
    }
    let words = isBitFlags ? text.split(separator: " ").map(String.init) : [text]
    var bits: ScalarBits = 0
    for word in words {
      guard let value = values.first(where: { $0.name == word }) else {
        throw FlatBufferJSONFailure(
          "\(quoted(word)) is no \(name.name): use \(NameList.text(values.map(\.name))), or a number")
      }
      bits |= base.bits(of: value.number)
    }
    return bits
  }
}

/// Names in a message.
enum NameList {
  private static let most = 12

  static func text(_ names: [String]) -> String {
    names.prefix(most).joined(separator: ", ") + (names.count > most ? ", …" : "")
  }
}
