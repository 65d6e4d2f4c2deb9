import DflatCore
import DflatSchema

/// The schemas of the dictionary's FlatBuffers values: one row of the file's list for each type and version (`v`),
/// whatever keys and namespaces have such values.
extension DeclaredSchema {
  /// The beginning of the names of the dictionary's rows.
  static let valueRowPrefix = "dictionary:"

  private static let known = Lock<[ObjectIdentifier: DeclaredSchema]>([:])

  /// Returns the program's schema of a type's values, always the same object; nil if the type has none.
  static func ofValues<T: FlatBuffersCodable>(of type: T.Type) -> DeclaredSchema? {
    guard let schema = type.flatBuffersSchema else { return nil }
    let id = ObjectIdentifier(type)
    if let found = known.withLock({ $0[id] }) { return found }
    let made = DeclaredSchema(schema, ofValuesWithVersion: type.flatBuffersSchemaVersion)
    return known.withLock { known in
      if let found = known[id] { return found }
      known[id] = made
      return made
    }
  }

  /// Creates the schema of a type's values.
  convenience init(_ schema: FlatBuffersSchema, ofValuesWithVersion version: String?) {
    let wording = SchemaWording(
      subject: schema.root, contents: "dictionary's values",
      remedy: "change 'v' of the type, so that its values start over")
    self.init(schema, row: DeclaredSchema.valueRow(schema.root, version), wording: wording) {
      SchemaCompatibility(ofValues: $0, to: $1)
    }
  }

  /// Returns the name of the row for the values of the type that a text describes; nil for a text that this version
  /// can't read.
  package static func valueRow(ofSchema text: String) -> String? {
    guard let schema = try? SchemaText.schema(of: text), let root = schema.files.last?.rootTable else { return nil }
    let definition = schema.tables[root]
    return valueRow(definition.name.description, definition.version)
  }

  private static func valueRow(_ root: String, _ version: String?) -> String {
    valueRowPrefix + valueType(root, version)
  }

  /// Returns the name of a type in its row: with the version, if it has one. Values of other versions are those of
  /// another type.
  fileprivate static func valueType(_ root: String, _ version: String?) -> String {
    version.map { "\(root):\($0)" } ?? root
  }
}

extension SchemaCompatibility {
  /// Compares the schema that a file stores for a type's values with the program's.
  fileprivate init(ofValues stored: String, to declared: String) {
    let relation = SchemaRelation(from: stored, to: declared, noun: "type") {
      DeclaredSchema.valueType($0.name.description, $0.version)
    }
    switch relation {
    case .replaceable: self = .replaceable
    case .newer: self = .newer(nil)
    case .incompatible(let type, let problems): self = .incompatible(type: type, problems: problems)
    case .unreadable: self = .unreadable
    }
  }
}
