#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

// Three JSON forms of a stored value:
// - typed: beside the name of its type, in exports, events and `txn`; bytes are base64
// - plain: on its own, for `--format json`; what JSON cannot hold is wrapped (PropertyListNode+JSON.swift)
// - untyped: read from `--type json`; JSON's own types decide

extension StoredValue {
  /// The value beside its type's name, with a property list as a tree that people can read.
  func typedJSON() throws(ValueFailure) -> JSONValue {
    if case .propertyList = self {
      return try plainJSON()
    }
    return losslessJSON
  }

  /// The value beside its type's name, with a property list as its very bytes.
  var losslessJSON: JSONValue {
    switch self {
    case .bool(let bool): .bool(bool)
    case .int(let int): .int(int)
    case .uint(let uint): .uint(uint)
    case .float(let float): Self.json(float) ?? .string(float.exactDescription)
    case .double(let double): double.isFinite ? .double(double) : .string(double.exactDescription)
    case .string(let string): .string(string)
    case .data(let data), .propertyList(let data), .flatBuffers(let data, _): .string(data.base64EncodedString())
    }
  }

  /// The value on its own.
  func plainJSON() throws(ValueFailure) -> JSONValue {
    do throws(PropertyListFailure) {
      switch self {
      case .float(let float) where float.isFinite: return Self.json(float) ?? .null
      case .float, .double, .data, .flatBuffers: return try PropertyListNode(self).json()
      case .propertyList(let data): return try PropertyListNode.parse([UInt8](data)).json()
      case .bool, .int, .uint, .string: return losslessJSON
      }
    } catch {
      throw ValueFailure(error)
    }
  }

  /// A float by its own shortest digits, not by those of the double that equals it.
  private static func json(_ float: Float) -> JSONValue? {
    float.isFinite ? Double(float.description).map(JSONValue.double) : nil
  }

  /// A JSON value whose type nobody named: containers are property lists, the rest are of JSON's own types.
  init(untyped value: JSONValue) throws(ValueFailure) {
    if value == .null {
      throw ValueFailure("null is no value: remove a key with 'kvtool delete'")
    }
    let node: PropertyListNode
    do {
      node = try PropertyListNode(value)
    } catch {
      throw ValueFailure(error)
    }
    self.init(node)
  }

  /// A JSON value beside its type's name.
  init(_ value: JSONValue, kind: Kind, schemaVersion: String? = nil) throws(ValueFailure) {
    switch (kind, value) {
    case (.bool, .bool(let bool)): self = .bool(bool)
    case (.string, .string(let string)): self = .string(string)
    case (.data, .string(let text)): self = .data(try Self.base64(text))
    case (.flatBuffers, .string(let text)): self = .flatBuffers(try Self.base64(text), schemaVersion: schemaVersion)
    case (.propertyList, .string(let text)):
      self = .propertyList(try Self.binaryList(try Self.base64(text)))
    case (.propertyList, .array), (.propertyList, .object):
      self = try StoredValue(untyped: value)
      guard self.kind == .propertyList else {
        throw ValueFailure("a plist has to be an array or an object")
      }
    case (.int, .int), (.int, .uint), (.int, .string), (.uint, .int), (.uint, .uint), (.uint, .string),
      (.float, .int), (.float, .uint), (.float, .double), (.float, .string),
      (.double, .int), (.double, .uint), (.double, .double), (.double, .string):
      guard let type = ValueType(keeping: kind) else {
        throw ValueFailure("a value of type \(kind.rawValue) cannot be read")
      }
      // By way of the digits: a number must not be rounded twice.
      let text = if case .string(let text) = value { text } else { JSONWriter.string(value) }
      self = try ValueText.scalar(text, as: type)
    default:
      throw ValueFailure("\(JSONWriter.string(value).prefix(60)) is no value of type \(kind.rawValue)")
    }
  }

  /// The bytes of a property list: the file has binary ones alone.
  private static func binaryList(_ data: Data) throws(ValueFailure) -> Data {
    let node: PropertyListNode
    do {
      node = try PropertyListNode.parse([UInt8](data))
    } catch {
      throw ValueFailure(error)
    }
    if data.starts(with: BinaryPropertyListReader.magic) {
      return data
    }
    guard node.isContainer else {
      throw ValueFailure("a plist has to be an array or an object")
    }
    return Data(BinaryPropertyListWriter.write(node))
  }

  private static func base64(_ text: String) throws(ValueFailure) -> Data {
    guard let data = Data(base64Encoded: text) else {
      throw ValueFailure("a value's bytes have to be base64")
    }
    return data
  }
}
