import DflatSchema

/// Writes a stored schema as a FlatBuffers schema.
struct StoredSchemaPrinter {
  private let schema: StoredSchema
  /// The names of types in Swift, where they aren't the usual ones.
  private let typeNames: [String: String]
  private var text = ""

  /// - Parameter note: Lines of a comment at the beginning.
  static func print(_ schema: StoredSchema, note: [String]) -> String {
    var printer = StoredSchemaPrinter(schema: schema)
    for line in note { printer.line("// \(line)") }
    printer.write()
    return printer.text
  }

  private init(schema: StoredSchema) {
    self.schema = schema
    // The root is outside of the namespace, where a type with its name would hide it.
    let values = schema.tables.map(\.name).filter { $0 != schema.entity }
    let types = (schema.enums.map(\.name) + schema.unions.map(\.name) + values).sorted()
    typeNames = Self.swiftNames([schema.entity] + types, .capitalisedType, usual: .type)
  }

  /// Returns the names in Swift of those that don't get their usual ones: because of the style, or because these clash with
  /// earlier ones. Writing them into the schema keeps them from changing when another name comes before them.
  ///
  /// - Parameters:
  ///   - usual: The style of names that the schema doesn't give.
  ///   - mayBeBoxed: Returns true for the name of a field whose type is a table.
  private static func swiftNames(
    _ names: [String], _ style: NameTable.Style, usual: NameTable.Style? = nil,
    mayBeBoxed: (String) -> Bool = { _ in false }
  ) -> [String: String] {
    var table = NameTable(style)
    var renamed: [String: String] = [:]
    for name in names {
      let nowhere = SourceLocation(file: "", line: 1, column: 1)
      switch table.insert(name, demanded: nil, at: nowhere, isInSwift: true, mayBeBoxed: mayBeBoxed(name)) {
      case .renamed(let swift, _, _): renamed[name] = swift
      case .named(let swift): if let usual, swift != usual.swiftName(name) { renamed[name] = swift }
      case .same, .taken: break
      }
    }
    return renamed
  }

  private static func attributes(_ list: [String], swiftName: String?) -> String {
    let list = list + (swiftName.map { ["swift_name: \"\($0)\""] } ?? [])
    return list.isEmpty ? "" : " (\(list.joined(separator: ", ")))"
  }

  private mutating func line(_ content: String) { text += content + "\n" }

  private mutating func write() {
    let root = schema.entity
    if schema.enums.count + schema.unions.count + schema.tables.count > 1 {
      line("")
      line("namespace \(schema.namespace);")
    }
    for definition in schema.enums { write(definition) }
    for definition in schema.unions { write(definition) }
    for definition in schema.tables where definition.name != root { write(definition, prefix: "") }
    line("")
    line("namespace;")
    if let table = schema.table(root) { write(table, prefix: schema.namespace + ".") }
    line("")
    line("root_type \(root);")
  }

  private mutating func document(_ lines: [String], indentation: String = "") {
    for content in lines { line(content.isEmpty ? "\(indentation)///" : "\(indentation)/// \(content)") }
  }

  private mutating func write(_ definition: StoredEnum) {
    line("")
    document(definition.documentation)
    line("enum \(definition.name): int\(Self.attributes([], swiftName: typeNames[definition.name])) {")
    let names = Self.swiftNames(definition.values.map(\.name), .enumCase)
    for (index, value) in definition.values.enumerated() {
      document(value.documentation, indentation: "  ")
      let attributes = Self.attributes([], swiftName: names[value.name])
      line("  \(value.name) = \(value.number)\(attributes)\(index + 1 < definition.values.count ? "," : "")")
    }
    line("}")
  }

  private mutating func write(_ definition: StoredUnion) {
    line("")
    line("union \(definition.name)\(Self.attributes([], swiftName: typeNames[definition.name])) {")
    let names = Self.swiftNames(definition.members.map(\.name), .unionCase)
    for (index, member) in definition.members.enumerated() {
      let attributes = Self.attributes([], swiftName: names[member.name])
      let comma = index + 1 < definition.members.count ? "," : ""
      line("  \(member.name): \(member.table) = \(member.kind)\(attributes)\(comma)")
    }
    line("}")
  }

  private mutating func write(_ table: StoredTable, prefix: String) {
    line("")
    document(table.documentation)
    line("table \(table.name)\(Self.attributes([], swiftName: typeNames[table.name])) {")
    // Older fields keep their names.
    let current = table.fields.filter { !$0.isDeprecated }.sorted { $0.id < $1.id }
    let ofTables = Set(current.filter(\.type.isTable).map(\.name))
    let names = Self.swiftNames(current.map(\.name), .member, mayBeBoxed: ofTables.contains)
    for field in table.fields {
      document(field.documentation, indentation: "  ")
      var attributes = ["id: \(field.id)"]
      if field.isPrimary { attributes.append("primary") }
      if field.isIndexed { attributes.append("indexed") }
      if field.isDeprecated { attributes.append("deprecated") }
      let value = field.isPrimary ? "" : Self.defaultText(of: field.type)
      let type = Self.text(of: field.type, prefix: prefix)
      line("  \(field.name): \(type)\(value)\(Self.attributes(attributes, swiftName: names[field.name]));")
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
