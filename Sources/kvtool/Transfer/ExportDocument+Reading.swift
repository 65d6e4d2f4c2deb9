#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

extension ExportDocument {
  /// Reads an export in either format, JSON or property list.
  static func read(_ bytes: [UInt8]) throws(ValueFailure) -> [Item] {
    let isPropertyList = PropertyListNode.isAnnounced(by: bytes)
    return try items(isPropertyList ? json(propertyList(bytes)) : json(bytes))
  }

  private static func json(_ bytes: [UInt8]) throws(ValueFailure) -> JSONValue {
    do {
      return try JSONParser.parse(bytes)
    } catch {
      throw ValueFailure("line \(error.line): \(error.message)")
    }
  }

  private static func propertyList(_ bytes: [UInt8]) throws(ValueFailure) -> PropertyListNode {
    do {
      return try PropertyListNode.parseInput(bytes)
    } catch {
      throw ValueFailure(error)
    }
  }

  /// Converts an export in property list form into the equivalent JSON document.
  private static func json(_ node: PropertyListNode) throws(ValueFailure) -> JSONValue {
    switch node {
    // Exports hold no absences; this is a string of this text.
    case .null: return .string("$null")
    case .bool(let bool): return .bool(bool)
    case .int(let int): return .int(int)
    case .uint(let uint): return .uint(uint)
    // JSON has no infinity and no NaN; their texts keep the bits.
    case .real(let double): return StoredValue.double(double).losslessJSON
    case .string(let string): return .string(string)
    case .data(let bytes): return .string(Data(bytes).base64EncodedString())
    case .dictionary(let members):
      var pairs: [JSONObject.Member] = []
      for member in members {
        pairs.append(JSONObject.Member(name: member.key, value: try json(member.value)))
      }
      guard let object = JSONObject(unsorted: pairs) else {
        throw ValueFailure("a dictionary contains a key twice")
      }
      return .object(object)
    case .date, .uid, .array: throw notAnExport
    }
  }

  private static var notAnExport: ValueFailure {
    ValueFailure("it is not an export of kvtool: for property lists of other programs use --from-plist")
  }

  private static func items(_ root: JSONValue) throws(ValueFailure) -> [Item] {
    guard case .object(let document) = root, document["format"] == .string(formatName) else {
      throw notAnExport
    }
    guard case .int(let number)? = document["version"] else {
      throw ValueFailure("its \"version\" is missing, or is not a whole number")
    }
    guard versions.contains(number) else {
      throw ValueFailure("it has a newer format than this kvtool reads: use a newer kvtool")
    }
    guard case .object(let namespaces)? = document["namespaces"] else {
      throw ValueFailure("its \"namespaces\" are missing")
    }
    var items: [Item] = []
    for namespace in namespaces.members {
      guard case .object(let entries) = namespace.value else {
        throw ValueFailure("namespace \(quoted(namespace.name)) is not an object")
      }
      for entry in entries.members {
        items.append(try item(entry, in: namespace.name))
      }
    }
    return items
  }

  private static func item(_ entry: JSONObject.Member, in namespace: String) throws(ValueFailure) -> Item {
    guard case .object(let object) = entry.value, case .string(let name)? = object["type"],
      let kind = StoredValue.Kind(rawValue: name), let json = object["value"]
    else {
      throw ValueFailure("key \(quoted(entry.name)) has an unknown type, or no value: \(advice)")
    }
    var schemaVersion: String?
    if let version = object["schemaVersion"] {
      guard case .string(let text) = version else {
        throw ValueFailure("key \(quoted(entry.name)): \"schemaVersion\" is not a string")
      }
      schemaVersion = text
    }
    var expirationDate: Date?
    if let instant = object["expires"] {
      guard case .int(let milliseconds) = instant, milliseconds >= 0 else {
        throw ValueFailure("key \(quoted(entry.name)): \"expires\" is not a number of milliseconds")
      }
      expirationDate = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
    do {
      let value = try StoredValue(json, kind: kind, schemaVersion: schemaVersion)
      return Item(namespace: namespace, key: entry.name, value: value, expirationDate: expirationDate)
    } catch {
      throw ValueFailure("key \(quoted(entry.name)): \(error.message); \(advice)")
    }
  }

  /// The advice about a key that can't be imported. An import is one transaction.
  private static let advice = "nothing was imported, so correct this key or remove it from the document"

  /// Reads a property list of UserDefaults or `defaults export`: each key of its root becomes a key of the namespace.
  static func readDefaults(_ bytes: [UInt8], namespace: String) throws(ValueFailure) -> [Item] {
    guard case .dictionary(let members) = try propertyList(bytes) else {
      throw ValueFailure("its root is not a dictionary")
    }
    guard !members.contains(where: { $0.key.hasSameBytes(as: "format") && $0.value == .string(formatName) }) else {
      throw ValueFailure("it is an export of kvtool: leave out --from-plist")
    }
    var items: [Item] = []
    for member in members {
      do throws(PropertyListFailure) {
        items.append(Item(namespace: namespace, key: member.key, value: try StoredValue(member.value)))
      } catch {
        throw ValueFailure("key \(quoted(member.key)): \(error.message)")
      }
    }
    return items
  }
}
