#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

/// The reason why a text or a stored value can't be read as the requested type.
struct ValueFailure: Error, Equatable {
  let message: String
  /// True if JSON names a field that the type of a schema doesn't have.
  let isOfUnknownField: Bool

  init(_ message: String, isOfUnknownField: Bool = false) {
    self.message = message
    self.isOfUnknownField = isOfUnknownField
  }

  static let sealed = ValueFailure("it is sealed: give its key with --seal-key-fd or KVTOOL_SEAL_KEY")

  init(_ failure: PropertyListFailure) {
    self.init(failure.message)
  }
}

/// A value as the user entered it: an argument, or all of standard input.
struct ValueText: Equatable {
  let bytes: [UInt8]
  /// True if one trailing newline belongs to the stream rather than to the value.
  let isStream: Bool

  init(_ text: String) {
    bytes = Array(text.utf8)
    isStream = false
  }

  init(stream bytes: [UInt8]) {
    self.bytes = bytes
    isStream = true
  }

  /// Parses the value as the given type.
  func value(as type: ValueType) throws(ValueFailure) -> StoredValue {
    switch type {
    case .data: return .data(Data(bytes))
    case .json: return try json()
    case .plist: return try propertyList()
    case .bool, .int, .uint, .float, .double, .string: return try Self.scalar(try text(), as: type)
    }
  }

  /// Parses the value as the type that the key already has.
  func value(keeping kind: StoredValue.Kind) throws(ValueFailure) -> StoredValue {
    if kind == .sealed { throw .sealed }
    guard let type = ValueType(keeping: kind) else {
      throw ValueFailure(
        "it holds a FlatBuffers value: name its schema with --schema, or give the new value another --type")
    }
    let isPropertyList = kind == .propertyList && PropertyListNode.isAnnounced(by: bytes)
    let isNoPropertyList = ValueFailure(
      "it holds a property list: the value must be an array or an object, such as '{\"size\": 12}', or have a --type")
    let value: StoredValue
    do { value = try self.value(as: isPropertyList ? .plist : type) } catch {
      // A bare word is no JSON with a mistake.
      throw kind == .propertyList && !beginsLikeContainer ? isNoPropertyList : error
    }
    guard value.kind == kind else { throw isNoPropertyList }
    return value
  }

  /// Parses the value as one of the type that the current value has.
  ///
  /// A `Codable` string is stored as a list of one string by earlier versions. A bare word, or a string of JSON, replaces
  /// that string.
  func value(replacing current: StoredValue) throws(ValueFailure) -> StoredValue {
    guard case .propertyList(let data) = current, !beginsLikeContainer,
      case .array(let nodes)? = try? PropertyListNode.parse([UInt8](data)), nodes.count == 1, case .string = nodes[0]
    else {
      return try value(keeping: current.kind)
    }
    let string = if let jsonString { jsonString } else { try text() }
    let list = PropertyListNode.array([.string(string)])
    do { return try StoredValue(list) } catch { throw ValueFailure(error) }
  }

  /// True if the value begins like an array, an object or a property list.
  private var beginsLikeContainer: Bool {
    let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "[") || first == UInt8(ascii: "{") || PropertyListNode.isAnnounced(by: bytes)
  }

  /// The string, if the value is one in JSON.
  private var jsonString: String? {
    if case .string(let string)? = try? JSONParser.parse(bytes) { string } else { nil }
  }

  /// Returns the text, without the newline that ends a stream.
  private func text() throws(ValueFailure) -> String {
    let content = isStream && bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ValueFailure("the value is not UTF-8: store it with --type data")
    }
    return text
  }

  private func json() throws(ValueFailure) -> StoredValue {
    let value: JSONValue
    do {
      value = try JSONParser.parse(bytes)
    } catch {
      throw ValueFailure("the value is not JSON, line \(error.line): \(error.message)\(quotesAdvice)")
    }
    return try StoredValue(untyped: value)
  }

  /// Advice to write words without quotes as a string of JSON; empty for other texts.
  private var quotesAdvice: String {
    guard let text = try? text(), text.first?.isLetter == true,
      text.allSatisfy({ $0.isLetter || $0.isNumber || " -_.".contains($0) })
    else { return "" }
    return "; a string is in quotes: '\(quoted(shortened(text)))'"
  }

  private func propertyList() throws(ValueFailure) -> StoredValue {
    do {
      return try StoredValue(PropertyListNode.parseInput(bytes))
    } catch {
      throw ValueFailure("the value is not a property list: \(error.message)")
    }
  }

  /// Parses a number, a Boolean or a string.
  static func scalar(_ text: String, as type: ValueType) throws(ValueFailure) -> StoredValue {
    let value: StoredValue? =
      switch type {
      case .bool: bool(text).map(StoredValue.bool)
      case .int: Int64(text).map(StoredValue.int)
      case .uint: UInt64(text).map(StoredValue.uint)
      case .float: finiteUnlessSpelled(Float(text), text).map(StoredValue.float)
      case .double: finiteUnlessSpelled(Double(text), text).map(StoredValue.double)
      case .string: .string(text)
      case .data, .json, .plist: nil
      }
    guard let value else {
      throw ValueFailure("\(quoted(shortened(text))) is not \(type.description)")
    }
    return value
  }

  private static func bool(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }

  /// Returns nil if digits overflow the type: the result would be infinite without notice.
  private static func finiteUnlessSpelled<Number: BinaryFloatingPoint>(_ number: Number?, _ text: String) -> Number? {
    guard let number, !number.isFinite, text.contains(where: \.isNumber), !number.isNaN else {
      return number
    }
    return nil
  }
}

extension ValueType {
  /// The type with its range, for messages.
  fileprivate var description: String {
    switch self {
    case .bool: "a bool: use true or false"
    case .int: "an int: use a whole number from \(Int64.min) to \(Int64.max)"
    case .uint: "a uint: use a whole number from 0 to \(UInt64.max)"
    case .float: "a float: use a number that a 32-bit float can hold"
    case .double: "a double: use a number that a double can hold"
    case .string, .data, .json, .plist: "a \(rawValue)"
    }
  }
}
