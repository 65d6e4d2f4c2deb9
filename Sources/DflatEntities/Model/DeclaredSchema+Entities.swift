import DflatCore
import DflatSchema

extension DeclaredSchema {
  /// Creates the schema of a table of objects.
  convenience init(_ schema: FlatBuffersSchema, ofTable table: String) {
    let wording = SchemaWording(
      subject: table, contents: "objects", remedy: "change 'v' of the table to start over with an empty one")
    self.init(schema, row: table, wording: wording) { SchemaCompatibility(ofObjects: $0, to: $1) }
  }
}

extension SchemaCompatibility {
  /// Compares the schema that a file stores for a table with the program's. A newer one comes with what the program's
  /// schema lacks of it, as `UnknownFields`.
  init(ofObjects stored: String, to declared: String) {
    switch SchemaRelation(from: stored, to: declared, noun: "table", place: \.entityTable) {
    case .replaceable: self = .replaceable
    case .newer(let stored, let declared): self = .newer(UnknownFields(unknownTo: declared, in: stored))
    case .incompatible(let type, let problems): self = .incompatible(type: type, problems: problems)
    case .unreadable: self = .unreadable
    }
  }
}
