import DflatSchema

/// Returns a schema's layout as lines of text, from our compiler's model. The overload for `Reflected.Root` returns
/// that of flatc.
func summary(of schema: Schema) throws -> [String] {
  let summary = ModelSummary(schema: schema)
  return
    (schema.tables.map(summary.lines) + schema.structs.map(summary.lines) + schema.enums.map(summary.lines)
    + schema.unions.map(summary.lines)).sorted()
}

private struct ModelSummary {
  let schema: Schema

  func lines(_ table: TableDefinition) -> String {
    let fields = table.fields.sorted { $0.slot < $1.slot }.map { field in
      var line = "  \(field.slot) \(field.name): \(type(field.type))"
      if isScalar(field.type) {
        switch field.defaultValue {
        case .null: line += " = null"
        // flatc 2.0.8's reflection has 0 for defaults beyond the largest `long`; its JSON reader has the right ones.
        case .integer(let value): line += " = \(Int64(exactly: value) ?? 0)"
        case .floating(let value): line += " = \(value)"
        case .none, .string: line += isFloatingPoint(field.type) ? " = 0.0" : " = 0"
        }
      }
      if field.isDeprecated { line += " deprecated" }
      // Only we require a string that is primary, and only flatc requires a string that is a key.
      let attributes = field.declaration.attributes
      if attributes["required"] != nil || attributes["key"] != nil && !isScalar(field.type) { line += " required" }
      return line
    }
    return (["table \(table.name)"] + documentation(table.declaration) + fields).joined(separator: "\n")
  }

  func lines(_ structure: StructDefinition) -> String {
    let fields = structure.fields.map { "  \($0.offset) \($0.name): \(type($0.type))" }
    let head = "struct \(structure.name) size \(structure.size) alignment \(structure.alignment)"
    return ([head] + documentation(structure.declaration) + fields).joined(separator: "\n")
  }

  func lines(_ definition: EnumDefinition) -> String {
    let values = definition.values.sorted { $0.number < $1.number }.map {
      "  \($0.name) = \(Int64(truncatingIfNeeded: $0.number))"
    }
    return (["enum \(definition.name): \(definition.base)"] + documentation(definition.declaration) + values)
      .joined(separator: "\n")
  }

  func lines(_ union: UnionDefinition) -> String {
    let members = union.members.map { "  \($0.jsonName ?? $0.name) = \($0.kind): \(type($0.type))" }
    return (["union \(union.name)"] + documentation(union.declaration) + members).joined(separator: "\n")
  }

  private func documentation(_ declaration: Declaration) -> [String] { declaration.documentation.map { "  /// \($0)" } }

  private func isFloatingPoint(_ type: TableDefinition.FieldType) -> Bool {
    if case .element(.scalar(let scalar)) = type { scalar.isFloatingPoint } else { false }
  }

  private func isScalar(_ type: TableDefinition.FieldType) -> Bool {
    switch type {
    case .element(.scalar), .element(.enumeration): true
    default: false
    }
  }

  private func type(_ type: TableDefinition.FieldType) -> String {
    switch type {
    case .element(let element): self.type(element)
    case .vector(let element): "[\(self.type(element))]"
    }
  }

  private func type(_ type: StructDefinition.FieldType) -> String {
    switch type {
    case .element(let element): self.type(element)
    case .array(let element, let count): "[\(self.type(element)):\(count)]"
    }
  }

  private func type(_ element: StructDefinition.ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let index): schema.enums[index].name.description
    case .structure(let index): schema.structs[index].name.description
    }
  }

  private func type(_ element: TableDefinition.ElementType) -> String {
    switch element {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let index): schema.enums[index].name.description
    case .string: "string"
    case .structure(let index): schema.structs[index].name.description
    case .table(let index): schema.tables[index].name.description
    case .union(let index): schema.unions[index].name.description
    }
  }

  private func type(_ member: UnionDefinition.MemberType) -> String {
    switch member {
    case .table(let index): schema.tables[index].name.description
    case .structure(let index): schema.structs[index].name.description
    case .string: "string"
    }
  }
}
