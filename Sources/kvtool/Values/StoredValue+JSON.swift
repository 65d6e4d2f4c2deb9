#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

// A stored value has three JSON forms:
// - typed: next to the name of its type, in exports, events and `txn`; bytes are base64
// - plain: without a type, for `--format json`; values without a JSON form are wrapped (PropertyListNode+JSON.swift)
// - untyped: read from `--type json`; the JSON type determines the stored type

extension StoredValue {
  /// Returns the typed form, with a property list as a readable tree.
  func typedJSON() throws(ValueFailure) -> JSONValue {
    if case .propertyList = self {
      return try plainJSON()
    }
    return losslessJSON
  }

  /// Returns the typed form, with a property list as a tree if the tree restores the same list, else as its exact
  /// bytes.
  ///
  /// The tree, together with the arrays and objects around it, is no deeper than ``JSONParser`` reads. A tree doesn't
  /// restore the order of objects, which tells whether a list is an array of one or a single value in an array.
  func portableJSON(within outerLevels: Int) -> JSONValue {
    guard case .propertyList(let list) = self, let tree = try? plainJSON(),
      outerLevels + tree.depth <= JSONParser.maximumDepth,
      let restored = try? StoredValue(tree, kind: .propertyList), restored.isSame(as: self),
      !BinaryPropertyListReader.mayWrapSingleValue([UInt8](list))
    else {
      return losslessJSON
    }
    return tree
  }

  /// The typed form, with a property list as its exact bytes.
  var losslessJSON: JSONValue {
    switch self {
    case .bool(let bool): .bool(bool)
    case .int(let int): .int(int)
    case .uint(let uint): .uint(uint)
    case .float(let float): Self.json(float) ?? .string(float.exactDescription)
    case .double(let double): double.isFinite ? .double(double) : .string(double.exactDescription)
    case .string(let string): .string(string)
    case .data(let data), .propertyList(let data), .flatBuffers(let data, _), .sealed(let data):
      .string(data.base64EncodedString())
    }
  }

  /// Returns the plain form.
  func plainJSON() throws(ValueFailure) -> JSONValue {
    do throws(PropertyListFailure) {
      switch self {
      case .float(let float) where float.isFinite: return Self.json(float) ?? .null
      case .float, .double, .data, .flatBuffers: return try PropertyListNode(self).json()
      case .propertyList(let data): return try PropertyListNode.parse([UInt8](data)).json()
      // An envelope says nothing but its size.
      case .sealed(let envelope): return .object(JSONObject(["$sealed": JSONValue(envelope.count)]))
      case .bool, .int, .uint, .string: return losslessJSON
      }
    } catch {
      throw ValueFailure(error)
    }
  }

  /// Returns the float by its own shortest digits, rather than those of the equal double. Returns nil if it isn't
  /// finite.
  private static func json(_ float: Float) -> JSONValue? {
    float.isFinite ? Double(float.description).map(JSONValue.double) : nil
  }

  /// Creates a value from the untyped form: arrays and objects become property lists, other values their JSON type.
  init(untyped value: JSONValue) throws(ValueFailure) {
    if value == .null {
      throw ValueFailure("null is not a value: remove a key with 'kvtool delete'")
    }
    let node: PropertyListNode
    do {
      node = try PropertyListNode(value)
    } catch {
      throw ValueFailure(error)
    }
    do throws(PropertyListFailure) {
      try self.init(node)
    } catch {
      throw ValueFailure(error)
    }
  }

  /// Creates a value from the typed form.
  init(_ value: JSONValue, kind: Kind, schemaVersion: String? = nil) throws(ValueFailure) {
    switch (kind, value) {
    case (.bool, .bool(let bool)): self = .bool(bool)
    case (.string, .string(let string)): self = .string(string)
    case (.data, .string(let text)): self = .data(try Self.base64(text))
    case (.sealed, .string(let text)): self = .sealed(try Self.base64(text))
    case (.flatBuffers, .string(let text)): self = .flatBuffers(try Self.base64(text), schemaVersion: schemaVersion)
    // A list that JSON can't express is its bytes in Base64.
    case (.propertyList, .string(let text)):
      self = .propertyList(try Self.binaryList(try Self.base64(text)))
    case (.propertyList, .array), (.propertyList, .object):
      // A property list of any content, which must not be a native value.
      self = try StoredValue(untyped: value)
      guard self.kind == .propertyList else {
        throw ValueFailure("a plist must be an array or an object")
      }
    case (.int, .int), (.int, .uint), (.int, .string), (.uint, .int), (.uint, .uint), (.uint, .string),
      (.float, .int), (.float, .uint), (.float, .double), (.float, .string),
      (.double, .int), (.double, .uint), (.double, .double), (.double, .string):
      guard let type = ValueType(keeping: kind) else {
        throw ValueFailure("a value of type \(kind.rawValue) cannot be read")
      }
      // Convert from the digits, so that a number isn't rounded twice.
      let text = if case .string(let text) = value { text } else { JSONWriter.string(value) }
      self = try ValueText.scalar(text, as: type)
    case (.bool, _), (.int, _), (.uint, _), (.float, _), (.double, _), (.string, _), (.data, _), (.propertyList, _),
      (.flatBuffers, _), (.sealed, _):
      throw ValueFailure("\(shortened(JSONWriter.string(value))) is not a value of type \(kind.rawValue)")
    }
  }

  /// Returns the bytes of a binary property list, because files contain no other kind.
  private static func binaryList(_ data: Data) throws(ValueFailure) -> Data {
    let bytes = [UInt8](data)
    if bytes.starts(with: BinaryPropertyListReader.magic) {
      // An export has the bytes of lists that can't be printed, and an import restores them.
      guard BinaryPropertyListReader.isList(bytes) else { throw ValueFailure(BinaryPropertyListReader.damaged) }
      return data
    }
    let node: PropertyListNode
    do {
      node = try PropertyListNode.parse(bytes)
    } catch {
      throw ValueFailure(error)
    }
    let value: StoredValue
    do throws(PropertyListFailure) {
      value = try StoredValue(node)
    } catch {
      throw ValueFailure(error)
    }
    guard case .propertyList(let list) = value else {
      throw ValueFailure("a plist must be an array or an object")
    }
    return list
  }

  private static func base64(_ text: String) throws(ValueFailure) -> Data {
    guard let data = Data(base64Encoded: text) else {
      throw ValueFailure("a value's bytes must be base64")
    }
    return data
  }
}
