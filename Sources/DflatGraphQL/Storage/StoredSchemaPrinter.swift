import DflatSchema

/// Writes a stored schema as a FlatBuffers schema.
struct StoredSchemaPrinter {
  private let schema: StoredSchema
  private var text = ""

  /// - Parameter note: Lines of a comment at the beginning.
  static func print(_ schema: StoredSchema, note: [String]) -> String {
    var printer = StoredSchemaPrinter(schema: schema)
    for line in note { printer.line("// \(line)") }
    printer.write()
    return printer.text
  }

  private init(schema: StoredSchema) { self.schema = schema }

  private mutating func line(_ content: String) { text += content + "\n" }

  private mutating func write() {
    let root = schema.entity
    if schema.enums.count + schema.unions.count + schema.tables.count > 1 {
      line("")
      line("namespace \(root);")
    }
    for definition in schema.enums { write(definition) }
    for definition in schema.unions { write(definition) }
    for definition in schema.tables where definition.name != root { write(definition, prefix: "") }
    line("")
    line("namespace;")
    if let table = schema.table(root) { write(table, prefix: root + ".") }
    line("")
    line("root_type \(root);")
  }

  private mutating func document(_ lines: [String], indentation: String = "") {
    for content in lines { line(content.isEmpty ? "\(indentation)///" : "\(indentation)/// \(content)") }
  }

  private mutating func write(_ definition: StoredEnum) {
    line("")
    document(definition.documentation)
    line("enum \(definition.name): int {")
    for (index, value) in definition.values.enumerated() {
      document(value.documentation, indentation: "  ")
      line("  \(value.name) = \(value.number)\(index + 1 < definition.values.count ? "," : "")")
    }
    line("}")
  }

  private mutating func write(_ definition: StoredUnion) {
    line("")
    line("union \(definition.name) {")
    for (index, member) in definition.members.enumerated() {
      line("  \(member.name): \(member.table) = \(member.kind)\(index + 1 < definition.members.count ? "," : "")")
    }
    line("}")
  }

  private mutating func write(_ table: StoredTable, prefix: String) {
    line("")
    document(table.documentation)
    line("table \(table.name) {")
    for field in table.fields {
      document(field.documentation, indentation: "  ")
      var attributes = ["id: \(field.id)"]
      if field.isPrimary { attributes.append("primary") }
      if field.isIndexed { attributes.append("indexed") }
      if field.isDeprecated { attributes.append("deprecated") }
      let value = field.isPrimary ? "" : Self.defaultText(of: field.type)
      line(
        "  \(field.name): \(Self.text(of: field.type, prefix: prefix))\(value) (\(attributes.joined(separator: ", ")));"
      )
    }
    line("}")
  }

  private static func text(of type: StoredType, prefix: String) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .string: "string"
    case .enumeration(let name), .table(let name), .union(let name): prefix + name
    case .vector(let element): "[\(text(of: element, prefix: prefix))]"
    }
  }

  /// Everything but the key may be missing in an object, because no operation has selected it yet, or because it is null.
  private static func defaultText(of type: StoredType) -> String {
    switch type {
    case .scalar, .enumeration: " = null"
    default: ""
    }
  }
}
