/// Prints a resolved schema for other tools.
///
/// The JSON is an object with the members `files`, `enums`, `unions`, `structs` and `tables`, each an array in the
/// order of declaration, included files first. Names are full (`MyGame.Sample.Vec3`). Members without information are
/// omitted:
///
/// - A file has `path`, `includes` (paths), `namespaces`, `rootType`, `fileIdentifier`, `fileExtension`.
/// - Every definition and each of its parts has `name`, `documentation` (lines) and `attributes` (`true`, a string or
///   a number). Definitions also have `file` and `line`.
/// - An enum has its integer `type`, `bitFlags`, and `values` with `number` (for bit flags, the mask).
/// - A union has `members` with `kind`, the number in the bytes, and `type`.
/// - A struct has `size`, `alignment`, `version`, and `fields` with `type`, `offset` (in bytes from its start),
///   `deprecated`, `indexed` and `unique`.
/// - A table has `root`, `version`, `originalOrder`, `indexes` (those over several fields, each with the paths in
///   `fields`, and `unique`), and `fields` with `type`, `id`, `slot` (in bytes from the
///   vtable's start), `kindSlot` (of unions and vectors of unions), `default`, and the flags `optional` (`= null`),
///   `required`, `primary`, `indexed`, `unique`, `shared`, `deprecated`; also `nestedTable` and `alignment` if they are
///   set.
/// - A type is `{"kind": "scalar", "name": "int"}`, with the kinds `scalar`, `string` (without a name), `enum`,
///   `struct`, `table` and `union`, or `{"kind": "vector", "element": type}`, or
///   `{"kind": "array", "element": type, "count": 3}`.
/// - A `default` is the value of an absent field: a number (for enums too), `true` or `false`, or a string. The
///   floating-point values that JSON lacks are `"nan"`, `"inf"` and `"-inf"`.
public enum SchemaPrinter {
  /// Returns the schema as JSON that ends in a line break. The same schema always gives the same text.
  public static func json(_ schema: Schema) -> String {
    let root = JSONNode.object([
      ("files", .array(schema.files.map { node($0, schema) })),
      ("enums", .array(schema.enums.map { node($0, schema) })),
      ("unions", .array(schema.unions.map { node($0, schema) })),
      ("structs", .array(schema.structs.map { node($0, schema) })),
      ("tables", .array(schema.tables.map { node($0, schema) })),
    ])
    var text = ""
    root.write(to: &text)
    return text + "\n"
  }

  typealias Members = [(name: String, value: JSONNode)]

  // MARK: Definitions

  private static func node(_ file: SchemaFile, _ schema: Schema) -> JSONNode {
    var members: Members = [("path", .string(file.path))]
    if !file.includes.isEmpty { members.append(("includes", .strings(file.includes.map { schema.files[$0].path }))) }
    members.append(("namespaces", .strings(file.namespaces.map { $0.joined(separator: ".") })))
    if let root = file.rootTable { members.append(("rootType", .string(schema.tables[root].name.description))) }
    if let identifier = file.fileIdentifier { members.append(("fileIdentifier", .string(identifier))) }
    if let name = file.fileExtension { members.append(("fileExtension", .string(name))) }
    return .object(members)
  }

  private static func node(_ definition: EnumDefinition, _ schema: Schema) -> JSONNode {
    var members = header(definition.name, definition.file, definition.declaration, schema)
    members.append(("type", .string(definition.base.rawValue)))
    members += flags([("bitFlags", definition.isBitFlags)])
    let values = definition.values.map { value in
      JSONNode.object([("name", .string(value.name)), ("number", .integer(value.number))] + notes(value.declaration))
    }
    return .object(members + [("values", .array(values))])
  }

  private static func node(_ definition: UnionDefinition, _ schema: Schema) -> JSONNode {
    let parts = definition.members.map { member in
      JSONNode.object(
        [("name", .string(member.name)), ("kind", .integer(member.kind)), ("type", type(member.type, schema))]
          + notes(member.declaration))
    }
    return .object(
      header(definition.name, definition.file, definition.declaration, schema) + [("members", .array(parts))])
  }

  private static func node(_ definition: StructDefinition, _ schema: Schema) -> JSONNode {
    var members = header(definition.name, definition.file, definition.declaration, schema)
    members += [("size", .integer(definition.size)), ("alignment", .integer(definition.alignment))]
    if let version = definition.version { members.append(("version", .string(version))) }
    let fields = definition.fields.map { field in
      JSONNode.object(
        [("name", .string(field.name)), ("type", type(field.type, schema)), ("offset", .integer(field.offset))]
          + flags([("deprecated", field.isDeprecated), ("indexed", field.isIndexed), ("unique", field.isUnique)])
          + notes(field.declaration))
    }
    return .object(members + [("fields", .array(fields))])
  }

  private static func node(_ definition: TableDefinition, _ schema: Schema) -> JSONNode {
    var members = header(definition.name, definition.file, definition.declaration, schema)
    members += flags([("root", definition.isRoot), ("originalOrder", definition.keepsOriginalOrder)])
    if let version = definition.version { members.append(("version", .string(version))) }
    if !definition.indexes.isEmpty { members.append(("indexes", .array(definition.indexes.map { node($0) }))) }
    return .object(members + [("fields", .array(definition.fields.map { node($0, schema) }))])
  }

  private static func node(_ index: TableDefinition.Index) -> JSONNode {
    .object([("fields", .strings(index.fields))] + flags([("unique", index.isUnique)]))
  }

  private static func node(_ field: TableDefinition.Field, _ schema: Schema) -> JSONNode {
    var members: Members = [
      ("name", .string(field.name)), ("type", type(field.type, schema)), ("id", .integer(field.id)),
      ("slot", .integer(field.slot)),
    ]
    if field.type.takesTwoSlots { members.append(("kindSlot", .integer(field.slot - 2))) }
    if let value = defaultValue(of: field, schema) { members.append(("default", value)) }
    members += flags([
      ("optional", field.defaultValue == .null), ("required", field.isRequired), ("primary", field.isPrimary),
      ("indexed", field.isIndexed), ("unique", field.isUnique), ("searchable", field.isSearchable),
      ("shared", field.isShared),
      ("deprecated", field.isDeprecated),
    ])
    if let table = field.nestedTable { members.append(("nestedTable", .string(schema.tables[table].name.description))) }
    if let alignment = field.forcedAlignment { members.append(("alignment", .integer(alignment))) }
    return .object(members + notes(field.declaration))
  }

  // MARK: Parts

  private static func header(
    _ name: QualifiedName, _ file: Int, _ declaration: Declaration, _ schema: Schema
  ) -> Members {
    [
      ("name", .string(name.description)), ("file", .string(schema.files[file].path)),
      ("line", .integer(declaration.location.line)),
    ] + notes(declaration)
  }

  private static func notes(_ declaration: Declaration) -> Members {
    var members: Members = []
    if !declaration.documentation.isEmpty { members.append(("documentation", .strings(declaration.documentation))) }
    if !declaration.attributes.isEmpty {
      let attributes = declaration.attributes.sorted { $0.key < $1.key }
      members.append(("attributes", .object(attributes.map { ($0.key, node($0.value)) })))
    }
    return members
  }

  private static func node(_ value: AttributeValue) -> JSONNode {
    switch value {
    case .none: .bool(true)
    case .string(let string): .string(string)
    case .integer(let number): .integer(number)
    }
  }

  private static func flags(_ flags: [(name: String, isSet: Bool)]) -> Members {
    flags.filter(\.isSet).map { ($0.name, .bool(true)) }
  }

  private static func defaultValue(of field: TableDefinition.Field, _ schema: Schema) -> JSONNode? {
    switch schema.effectiveDefault(of: field) {
    case .nothing: nil
    case .integer(let value): field.type == .element(.scalar(.bool)) ? .bool(value != 0) : .integer(value)
    case .floating(let value) where value.isFinite: .number(String(value))
    case .floating(let value): .string(value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
    case .string(let value): .string(value)
    }
  }
}
