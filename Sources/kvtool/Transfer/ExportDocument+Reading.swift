#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DflatKV

extension ExportDocument {
  /// Reads an export, JSON or property list.
  static func read(_ bytes: [UInt8]) throws(ValueFailure) -> [Item] {
    let isPropertyList = PropertyListNode.isAnnounced(by: bytes)
    do {
      // A property list is read by way of its JSON form, where data is wrapped.
      let root = try isPropertyList ? PropertyListNode.parse(bytes).json() : JSONParser.parse(bytes)
      return try items(root)
    } catch let failure as JSONParser.Failure {
      throw ValueFailure("line \(failure.line): \(failure.message)")
    } catch let failure as PropertyListFailure {
      throw ValueFailure(failure)
    } catch let failure as ValueFailure {
      throw failure
    } catch {
      throw ValueFailure("\(error)")
    }
  }

  private static func items(_ root: JSONValue) throws(ValueFailure) -> [Item] {
    guard case .object(let document) = root, document["format"] == .string(formatName) else {
      throw ValueFailure("it is no export of kvtool: for property lists of other programs use --from-plist")
    }
    guard document["version"] == .int(version) else {
      throw ValueFailure("it has a newer format than this kvtool reads: use a newer kvtool")
    }
    guard case .object(let namespaces)? = document["namespaces"] else {
      throw ValueFailure("its \"namespaces\" are missing")
    }
    var items: [Item] = []
    for namespace in namespaces.members {
      guard case .object(let entries) = unwrapped(namespace.value) else {
        throw ValueFailure("namespace \(quoted(namespace.name)) is no object")
      }
      for entry in entries.members {
        items.append(Item(namespace: namespace.name, key: entry.name, value: try value(entry)))
      }
    }
    return items
  }

  private static func value(_ entry: JSONObject.Member) throws(ValueFailure) -> StoredValue {
    guard case .object(let object) = entry.value, case .string(let name)? = object["type"],
      let kind = StoredValue.Kind(rawValue: name), let json = object["value"]
    else {
      throw ValueFailure("key \(quoted(entry.name)) has no type that is known, or no value")
    }
    let schemaVersion: String? = if case .string(let text)? = object["schemaVersion"] { text } else { nil }
    do {
      return try StoredValue(unwrapped(json, kind: kind), kind: kind, schemaVersion: schemaVersion)
    } catch {
      throw ValueFailure("key \(quoted(entry.name)): \(error.message)")
    }
  }

  /// The base64 text within `{"$data": …}` or the number within `{"$real": …}`, where a property list was the source.
  private static func unwrapped(_ json: JSONValue, kind: StoredValue.Kind) -> JSONValue {
    guard case .object(let object) = json, object.members.count == 1 else {
      return json
    }
    return switch kind {
    case .data, .propertyList, .flatBuffers: object["$data"] ?? json
    case .float, .double: object["$real"] ?? json
    default: json
    }
  }

  /// The keys within `{"$dictionary": …}`: a namespace whose only key is named like a wrapper.
  private static func unwrapped(_ json: JSONValue) -> JSONValue {
    if case .object(let object) = json, object.members.count == 1, case .object? = object["$dictionary"],
      let members = object["$dictionary"]
    {
      return members
    }
    return json
  }

  /// Reads a property list of UserDefaults or `defaults export`: each key of its root becomes one of the namespace.
  static func readDefaults(_ bytes: [UInt8], namespace: String) throws(ValueFailure) -> [Item] {
    let root: PropertyListNode
    do {
      root = try PropertyListNode.parse(bytes)
    } catch {
      throw ValueFailure(error)
    }
    guard case .dictionary(let members) = root else {
      throw ValueFailure("its root is no dictionary")
    }
    return members.map { Item(namespace: namespace, key: $0.key, value: StoredValue($0.value)) }
  }
}
