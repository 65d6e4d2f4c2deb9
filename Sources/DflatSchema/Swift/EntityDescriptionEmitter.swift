/// Emits `static let _entity`, which describes the storage of a root's objects, with the canonical text of its schema.
struct EntityDescriptionEmitter {
  let table: TableEmitter

  func emit(to writer: inout CodeWriter) {
    let context = table.scope.context
    let layout = EntityLayout(table.index, in: context.schema, context.indexReach)
    let schema = SchemaText.of(table: table.index, in: context.schema)
    writer.line("public static let _entity: \(table.scope.entities("EntityDescription")) = .init(")
    writer.indented { writer in
      writer.line("\(SwiftLiterals.quoted(layout.table)),")
      let last = schema == nil ? "])" : "],"
      let isLast = layout.indexes.isEmpty && layout.searchable.isEmpty
      emit("primaryKey", layout.primaryKey, end: isLast ? last : "],", to: &writer) { _ in [] }
      if !layout.indexes.isEmpty {
        emit("indexes", layout.indexes, end: layout.searchable.isEmpty ? last : "],", to: &writer) {
          $0.isUnique ? ["isUnique: true"] : []
        }
      }
      if !layout.searchable.isEmpty { emit("searchable", layout.searchable, end: last, to: &writer) { _ in [] } }
      if let schema {
        writer.literal("schema: ", schema.split(separator: "\n").map(String.init), ")")
      }
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
