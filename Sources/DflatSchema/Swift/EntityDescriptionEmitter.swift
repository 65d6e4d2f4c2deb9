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
      let isLast = layout.indexes.isEmpty && layout.searchable.isEmpty
      list("primaryKey", layout.primaryKey, end: isLast ? last : "],", to: &writer) { emit($0, $1, to: &$2) }
      if !layout.indexes.isEmpty {
        list("indexes", layout.indexes, end: layout.searchable.isEmpty ? last : "],", to: &writer) {
          emit($0, $1, to: &$2)
        }
      }
      if !layout.searchable.isEmpty {
        list("searchable", layout.searchable, end: last, to: &writer) { emit($0, $1, to: &$2) }
      }
      if table.schemaText != nil { writer.line("schema: flatBuffersSchema)") }
    }
  }

  private func list<Element>(
    _ label: String, _ elements: [Element], end: String, to writer: inout CodeWriter,
    _ emit: (Element, _ end: String, inout CodeWriter) -> Void
  ) {
    writer.line("\(label): [")
    writer.indented { writer in
      for element in elements { emit(element, elements.count > 1 ? "," : "", &writer) }
    }
    writer.line(end)
  }

  private func emit(_ field: EntityLayout.Field, _ end: String, to writer: inout CodeWriter, _ more: [String] = []) {
    let path = ".init(\(field.path.swift.joined(separator: ", ")))"
    writer.call(".init", [SwiftLiterals.quoted(field.name), path] + more, end)
  }

  private func emit(_ index: EntityLayout.Index, _ end: String, to writer: inout CodeWriter) {
    let unique = "isUnique: true"
    if index.fields.count == 1 { return emit(index.fields[0], end, to: &writer, index.isUnique ? [unique] : []) }
    func fields(_ writer: inout CodeWriter) {
      writer.indented { writer in
        for field in index.fields { emit(field, ",", to: &writer) }
      }
    }
    guard index.isUnique else {
      writer.line(".init([")
      fields(&writer)
      return writer.line("])" + end)
    }
    writer.line(".init(")
    writer.indented { writer in
      writer.line("[")
      fields(&writer)
      writer.line("], \(unique))" + end)
    }
  }
}
