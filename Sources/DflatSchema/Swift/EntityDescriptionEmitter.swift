/// Emits `static let _entity`, which describes the storage of a root's objects, with the schema that the root declares.
struct EntityDescriptionEmitter {
  let table: TableEmitter

  func emit(to writer: inout CodeWriter) {
    let context = table.scope.context
    let layout = EntityLayout(table.index, in: context.schema, context.indexReach)
    let field = table.scope.entities("EntityField")
    // The arrays in the order of the parameters. All but the primary key may be empty.
    let primaryKey = ArrayLiteral(function: "_primaryKey", of: field, layout.primaryKey) { emit($0, $1, to: &$2) }
    let indexes = ArrayLiteral(
      function: "_indexes", of: table.scope.entities("EntityIndex"), layout.indexes
    ) { emit($0, $1, to: &$2) }
    let searchable = ArrayLiteral(function: "_searchable", of: field, layout.searchable) { emit($0, $1, to: &$2) }
    let arrays = [("primaryKey", primaryKey), ("indexes", indexes), ("searchable", searchable)]
      .filter { !$0.1.isEmpty }
    writer.line("public static let _entity: \(table.scope.entities("EntityDescription")) = .init(")
    writer.indented { writer in
      writer.line("\(SwiftLiterals.quoted(layout.table)),")
      for (position, (label, array)) in arrays.enumerated() {
        let isLast = position == arrays.count - 1 && table.schemaText == nil
        array.emitArgument(label, end: isLast ? ")" : ",", to: &writer)
      }
      if table.schemaText != nil { writer.line("schema: flatBuffersSchema)") }
    }
    for (_, array) in arrays { array.emitFunction(to: &writer) }
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
