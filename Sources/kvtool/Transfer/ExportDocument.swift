import DflatKV

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
/// which `import` still reads, and which a list without such a tree still is.
enum ExportDocument {
  static let formatName = "dflatkv-export"
  static let version: Int64 = 1
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
  }

  /// Writes the document as JSON, in pieces, with one key per line.
  static func writeJSON(_ sections: [Section], to write: (String) throws -> Void) throws {
    try write("{\n  \"format\": \(quoted(formatName)),\n  \"namespaces\": {")
    for (index, section) in sections.enumerated() {
      try write("\(index == 0 ? "" : ",")\n    \(quoted(section.namespace)): {")
      var piece = ""
      for (index, entry) in section.entries.enumerated() {
        piece += "\(index == 0 ? "" : ",")\n      \(quoted(entry.key)): \(JSONWriter.string(json(entry.value)))"
        if piece.utf8.count > 1 << 16 {
          try write(piece)
          piece = ""
        }
      }
      try write(piece + (section.entries.isEmpty ? "}" : "\n    }"))
    }
    try write("\(sections.isEmpty ? "" : "\n  ")},\n  \"version\": \(version)\n}\n")
  }

  private static func json(_ value: StoredValue) -> JSONValue {
    let type = JSONValue.string(value.kind.rawValue)
    if case .flatBuffers(_, let schemaVersion?) = value {
      return .object(
        JSONObject(["type": type, "value": value.losslessJSON, "schemaVersion": .string(schemaVersion)]))
    }
    return .object(JSONObject(["type": type, "value": value.portableJSON(within: levelsAroundValues)]))
  }

  /// Returns the document as an XML property list.
  static func propertyList(_ sections: [Section]) throws(PropertyListFailure) -> String {
    let namespaces = sections.map { section in
      PropertyListNode.Member(
        key: section.namespace,
        value: .dictionary(
          section.entries.map { PropertyListNode.Member(key: $0.key, value: node($0.value)) }))
    }
    return try XMLPropertyListWriter.string(
      .dictionary([
        PropertyListNode.Member(key: "format", value: .string(formatName)),
        PropertyListNode.Member(key: "namespaces", value: .dictionary(namespaces)),
        PropertyListNode.Member(key: "version", value: .int(version)),
      ]))
  }

  private static func node(_ value: StoredValue) -> PropertyListNode {
    var members = [
      PropertyListNode.Member(key: "type", value: .string(value.kind.rawValue)),
      PropertyListNode.Member(key: "value", value: PropertyListNode(value)),
    ]
    if case .flatBuffers(_, let schemaVersion?) = value {
      members.append(PropertyListNode.Member(key: "schemaVersion", value: .string(schemaVersion)))
    }
    return .dictionary(members)
  }
}
