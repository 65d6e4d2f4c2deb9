import DflatEntities
import DflatKV
import DflatSchema
import DflatSupport

/// A type of objects, by the schema that the file has of it.
struct StoredType: Sendable {
  let table: StoredTable
  let schema: Schema
  /// The type's index in `Schema.tables`.
  let root: Int
  let described: DescribedType
  /// The type as that of FlatBuffers.
  let flatBuffers: SchemaType

  var entity: EntityDescription { described.entity }
  var definition: TableDefinition { schema.tables[root] }
  /// The name in the schema, with its namespace.
  var name: String { definition.name.description }

  /// Reads the schema of a table. Nil if the file has none, or one that this version can't read, as one of a newer
  /// version.
  init?(_ table: StoredTable) {
    guard let text = table.schema, let (schema, root, entity) = Self.read(text),
      entity.table.hasSameBytes(as: table.name)
    else { return nil }
    self.table = table
    self.schema = schema
    self.root = root
    described = DescribedType(entity, name: schema.tables[root].name.description)
    flatBuffers = SchemaType(.table(root), in: schema)
  }

  /// Returns the name of the table that a schema is of; nil for a schema that this version can't read.
  static func tableName(ofSchema text: String) -> String? { read(text)?.entity.table }

  private static func read(_ text: String) -> (schema: Schema, root: Int, entity: EntityDescription)? {
    guard let schema = try? SchemaText.schema(of: text), let root = schema.files.last?.rootTable,
      let entity = EntityDescription(ofTable: root, in: schema, text: text)
    else { return nil }
    return (schema, root, entity)
  }

  /// Says why a file has no types, and how it gets them.
  static let noTypesAdvice =
    "the file has no objects; a program that stores some adds their type, and 'kvtool backup' copies a file with its "
    + "types"

  /// Returns the type with a name: that of its table, or its own with its namespace or without.
  ///
  /// - Throws: ``ToolError`` with the status `usage` if there is none, or more than one; with the status
  ///   `unreadableFile` if its schema can't be read.
  static func named(_ name: String, in tables: [StoredTable]) throws -> StoredType {
    let types = tables.map { (table: $0, type: StoredType($0)) }
    func isExact(_ table: StoredTable, _ type: StoredType?) -> Bool {
      table.name.hasSameBytes(as: name) || (type?.name.hasSameBytes(as: name) ?? false)
    }
    var found = types.filter { isExact($0.table, $0.type) }
    if found.isEmpty { found = types.filter { $0.type?.definition.name.name.hasSameBytes(as: name) ?? false } }
    guard let (table, type) = found.first else {
      let names = types.map { $0.type?.name ?? $0.table.name }
      let advice =
        names.isEmpty
        ? noTypesAdvice
        : NameSuggestion.nearest(to: name, among: names).map { "did you mean \(quoted($0))?" }
          ?? "use \(NameList.text(names))"
      throw ToolError(.usage, "there is no type \(quoted(name)): \(advice)")
    }
    guard found.count == 1 else {
      throw ToolError(
        .usage, "there are several types \(quoted(name)): use \(NameList.text(found.map(\.table.name)))")
    }
    guard let type else {
      throw ToolError(
        .unreadableFile,
        table.schema == nil
          ? "the file has no schema of \(quoted(table.name)): write an object with a current version of its program"
          : "the schema of \(quoted(table.name)) can't be read: update kvtool, or run 'kvtool check'")
    }
    return type
  }

  /// The canonical text of the schema, without the comments of a text that no program has stored.
  var schemaText: String { SchemaText.of(table: root, in: schema) ?? "" }

  /// The fields that programs see, in the order of the schema.
  var fields: [TableDefinition.Field] { definition.fields.filter { !$0.isDeprecated } }

  /// Returns what to use instead of a name that is no field.
  func fieldAdvice(for name: String) -> String { NameList.advice(insteadOf: name, fields: fields.map(\.name)) }

  /// Returns an object as JSON, with the defaults of absent scalars.
  ///
  /// - Throws: `FlatBufferError` if the bytes are damaged.
  func json(_ bytes: UnsafeRawBufferPointer) throws -> JSONValue {
    try flatBuffers.json(bytes, writingDefaults: true)
  }
}
