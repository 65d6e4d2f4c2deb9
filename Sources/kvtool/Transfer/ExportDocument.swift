import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The document that `export` writes and `import` reads:
///
///     {
///       "format": "dflatkv-export",
///       "namespaces": {"": {"volume": {"type": "double", "value": 0.8}}},
///       "version": 1
///     }
///
/// Data and FlatBuffers appear as bytes: base64 in JSON, data in a property list. The member `schemaVersion` holds the
/// schema version of FlatBuffers. In JSON, a property list is a tree that other tools can read; before, it was base64,
/// which `import` still reads, and which a list without such a tree still is. The member `expires` holds the milliseconds since
/// 1970 in UTC at which the value expires, if it does. A document with such a member, or with a sealed value, has version 2:
/// earlier programs would read the value as one that stays.
enum ExportDocument {
  static let formatName = "dflatkv-export"
  static let versions: ClosedRange<Int64> = 1...2
  /// The number of objects around each value: the document, its namespaces, a namespace and an entry.
  private static let levelsAroundValues = 4

  /// The keys of one namespace.
  struct Section {
    let namespace: String
    let entries: [DictionaryEntry]
  }

  /// One key of an imported document.
  struct Item {
    let namespace: String
    let key: String
    let value: StoredValue
    var expirationDate: Date?

    func moved(to namespace: String) -> Item {
      Item(namespace: namespace, key: key, value: value, expirationDate: expirationDate)
    }
  }

  private static func version(of sections: [Section]) -> Int64 {
    let isNew = sections.contains { $0.entries.contains { $0.expirationDate != nil || $0.value.kind == .sealed } }
    return isNew ? versions.upperBound : versions.lowerBound
  }

  /// Writes the document as JSON, in pieces, with one key per line.
  static func writeJSON(_ sections: [Section], to write: (String) throws -> Void) throws {
    try write("{\n  \"format\": \(quoted(formatName)),\n  \"namespaces\": {")
    for (index, section) in sections.enumerated() {
      try write("\(index == 0 ? "" : ",")\n    \(quoted(section.namespace)): {")
      var piece = ""
      for (index, entry) in section.entries.enumerated() {
        piece += "\(index == 0 ? "" : ",")\n      \(quoted(entry.key)): \(JSONWriter.string(json(entry)))"
        if piece.utf8.count > 1 << 16 {
          try write(piece)
          piece = ""
        }
      }
      try write(piece + (section.entries.isEmpty ? "}" : "\n    }"))
    }
    try write("\(sections.isEmpty ? "" : "\n  ")},\n  \"version\": \(version(of: sections))\n}\n")
  }

  private static func json(_ entry: DictionaryEntry) -> JSONValue {
    let value = entry.value
    var members = [JSONObject.Member(name: "type", value: .string(value.kind.rawValue))]
    if case .flatBuffers(_, let schemaVersion?) = value {
      members.append(JSONObject.Member(name: "value", value: value.losslessJSON))
      members.append(JSONObject.Member(name: "schemaVersion", value: .string(schemaVersion)))
    } else {
      members.append(JSONObject.Member(name: "value", value: value.portableJSON(within: levelsAroundValues)))
    }
    if let date = entry.expirationDate {
      members.append(JSONObject.Member(name: "expires", value: .int(milliseconds(date))))
    }
    return .object(JSONObject(unsorted: members) ?? JSONObject([:]))
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) ?? .max
  }

  /// Returns the document as an XML property list.
  static func propertyList(_ sections: [Section]) throws(PropertyListFailure) -> String {
    let namespaces = sections.map { section in
      PropertyListNode.Member(
        key: section.namespace,
        value: .dictionary(
          section.entries.map { PropertyListNode.Member(key: $0.key, value: node($0)) }))
    }
    return try XMLPropertyListWriter.string(
      .dictionary([
        PropertyListNode.Member(key: "format", value: .string(formatName)),
        PropertyListNode.Member(key: "namespaces", value: .dictionary(namespaces)),
        PropertyListNode.Member(key: "version", value: .int(version(of: sections))),
      ]))
  }

  private static func node(_ entry: DictionaryEntry) -> PropertyListNode {
    let value = entry.value
    var members = [
      PropertyListNode.Member(key: "type", value: .string(value.kind.rawValue)),
      PropertyListNode.Member(key: "value", value: PropertyListNode(value)),
    ]
    if case .flatBuffers(_, let schemaVersion?) = value {
      members.append(PropertyListNode.Member(key: "schemaVersion", value: .string(schemaVersion)))
    }
    if let date = entry.expirationDate {
      members.append(PropertyListNode.Member(key: "expires", value: .int(milliseconds(date))))
    }
    return .dictionary(members)
  }
}
