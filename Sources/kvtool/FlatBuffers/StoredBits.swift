import DflatKV
import DflatSchema

/// A scalar as its stored bits in the low bytes. All types share it, so reading and writing need no distinction.
typealias StoredBits = UInt64

extension ScalarType {
  /// Returns the stored bits of an integer in the type's range.
  func bits(of integer: Int128) -> StoredBits {
    let mask = size == 8 ? StoredBits.max : (1 << StoredBits(size * 8)) - 1
    return StoredBits(truncatingIfNeeded: integer) & mask
  }

  /// Returns the stored bits of a floating-point number, rounded to the type's precision.
  func bits(of number: Double) -> StoredBits {
    self == .float ? StoredBits(Float(number).bitPattern) : number.bitPattern
  }

  /// Returns the stored bits of a field's default.
  func defaultBits(_ value: TableDefinition.DefaultValue) -> StoredBits {
    switch value {
    case .integer(let number): isFloatingPoint ? bits(of: Double(number)) : bits(of: number)
    case .floating(let number): bits(of: number)
    case .none, .null, .string: 0
    }
  }

  /// Returns the integer that the bits of an integer type, or of `bool`, represent.
  func integer(_ bits: StoredBits) -> Int128 {
    switch self {
    case .byte: Int128(Int8(truncatingIfNeeded: bits))
    case .short: Int128(Int16(truncatingIfNeeded: bits))
    case .int: Int128(Int32(truncatingIfNeeded: bits))
    case .long: Int128(Int64(truncatingIfNeeded: bits))
    case .bool, .ubyte, .ushort, .uint, .ulong, .float, .double: Int128(bits)
    }
  }

  /// Returns true if two stored values are equal by the rule that leaves out defaults: zeros of either sign are equal,
  /// and NaN equals itself.
  func isSame(_ left: StoredBits, _ right: StoredBits) -> Bool {
    switch self {
    case .float: Self.isSame(Float(bitPattern: UInt32(left)), Float(bitPattern: UInt32(right)))
    case .double: Self.isSame(Double(bitPattern: left), Double(bitPattern: right))
    default: left == right
    }
  }

  private static func isSame<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Bool {
    left == right || left.isNaN && right.isNaN
  }

  /// Appends a stored value in little-endian order.
  func append(_ bits: StoredBits, to bytes: inout [UInt8]) {
    for index in 0..<size {
      bytes.append(UInt8(truncatingIfNeeded: bits >> StoredBits(index * 8)))
    }
  }
}

// MARK: - JSON

extension ScalarType {
  /// Returns a stored value as `flatc` prints it. A value without a JSON number is quoted, a form that `flatc` also
  /// reads.
  func json(_ bits: StoredBits) -> JSONValue {
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

  /// Returns the stored bits of a JSON value: a number, a Boolean for `bool`, or the text of either.
  func bits(_ json: JSONValue) throws(FlatBufferJSONFailure) -> StoredBits {
    let bits: StoredBits? =
      switch self {
      case .bool: Self.truth(json)
      case .float, .double: floatingPoint(json)
      default: integer(json).map { self.bits(of: $0) }
      }
    guard let bits else {
      throw FlatBufferJSONFailure("\(shortened(JSONWriter.string(json))) is not a valid \(rawValue): use \(advice)")
    }
    return bits
  }

  private static func truth(_ json: JSONValue) -> StoredBits? {
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

  /// Converts from the digits, so that a number isn't rounded twice.
  private func floatingPoint(_ json: JSONValue) -> StoredBits? {
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
    case .float(let float): StoredBits(float.bitPattern)
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
  /// Returns a stored value as `flatc` prints it: by name, bit flags by their names separated by spaces, otherwise as a
  /// number.
  func json(_ bits: StoredBits) -> JSONValue {
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

  /// Returns the stored bits of a name, of several names for bit flags, or of a number.
  func bits(_ json: JSONValue) throws(FlatBufferJSONFailure) -> StoredBits {
    guard case .string(let text) = json, text.first?.isLetter == true || text.first == "_" else {
      return try base.bits(json)
    }
    let words = isBitFlags ? text.split(separator: " ").map(String.init) : [text]
    var bits: StoredBits = 0
    for word in words {
      guard let value = values.first(where: { $0.name == word }) else {
        throw FlatBufferJSONFailure(
          "\(quoted(word)) is not a value of \(name.name): use \(NameList.text(values.map(\.name))), or a number")
      }
      bits |= base.bits(of: value.number)
    }
    return bits
  }
}

/// Formats a list of names for a message.
enum NameList {
  private static let most = 12

  static func text(_ names: [String]) -> String {
    names.prefix(most).joined(separator: ", ") + (names.count > most ? ", …" : "")
  }

  /// Returns what to use instead of a name that is none of a type's fields.
  static func advice(insteadOf name: String, fields: [String]) -> String {
    if let nearest = NameSuggestion.nearest(to: name, among: fields) { return "did you mean '\(nearest)'?" }
    return fields.isEmpty ? "it has no fields" : "it has \(text(fields))"
  }
}
