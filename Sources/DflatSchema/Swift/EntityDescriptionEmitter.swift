/// Emits `static let _entity`, which describes the storage of a root's objects, with the schema that the root declares.
struct EntityDescriptionEmitter {
  let table: TableEmitter

  func emit(to writer: inout CodeWriter) {
    let context = table.scope.context
    let layout = EntityLayout(table.index, in: context.schema, context.indexReach)
    writer.line("public static let _entity: \(table.scope.entities("EntityDescription")) = .init(")
    writer.indented { writer in
      writer.line("\(SwiftLiterals.quoted(layout.table)),")
      let last = table.schemaText == nil ? "])" : "],"
      emit("primaryKey", layout.primaryKey, end: layout.indexes.isEmpty ? last : "],", to: &writer) { _ in [] }
      if !layout.indexes.isEmpty {
        emit("indexes", layout.indexes, end: last, to: &writer) { $0.isUnique ? ["isUnique: true"] : [] }
      }
      if table.schemaText != nil { writer.line("schema: flatBuffersSchema)") }
    }
  }

  private func emit(
    _ label: String, _ fields: [EntityLayout.Field], end: String, to writer: inout CodeWriter,
    more: (EntityLayout.Field) -> [String]
  ) {
    writer.line("\(label): [")
    writer.indented { writer in
      for field in fields {
        let path = ".init(\(field.path.swift.joined(separator: ", ")))"
        writer.call(
          ".init", [SwiftLiterals.quoted(field.name), path] + more(field), fields.count > 1 ? "," : "")
      }
    }
    writer.line(end)
  }
}
