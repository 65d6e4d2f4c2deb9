/// The table that `root_type` names becomes an immutable class with a builder.
///
/// What entities need besides (a stored type's description, requests of changes, fields to query by) is further parts
/// in `emit`, each with an emitter of its own.
struct RootEmitter {
  private let table: TableEmitter

  private var scope: SwiftScope { table.scope }

  init(_ index: Int, in context: EmitterContext) {
    table = TableEmitter(index, in: context)
  }

  func emit(to writer: inout CodeWriter) {
    emitClass(to: &writer)
    writer.line()
    RootBuilderEmitter(table: table).emit(to: &writer)
  }

  private func emitClass(to writer: inout CodeWriter) {
    writer.documentation(table.definition.declaration.documentation)
    writer.type(
      "public final class \(scope.declaredName)",
      [
        scope.buffers("FlatBufferTableValue"), scope.core("FlatBuffersCodable"), scope.standard("Hashable"),
        scope.standard("Sendable"),
      ]
    ) { writer in
      for field in table.fields {
        writer.documentation(field.field.declaration.documentation)
        writer.declaration("public let \(field.name)", field.type)
      }
      if !table.fields.isEmpty { writer.line() }
      writer.emitAliases(of: scope)
      table.emitMemberwiseInitializer(to: &writer)
      writer.line()
      emitEquality(to: &writer)
      writer.line()
      table.emitCoding(to: &writer)
      table.emitNestedRoots(to: &writer)
    }
  }

  /// A condition for each field: a single expression of hundreds would keep the type checker busy.
  private func emitEquality(to writer: inout CodeWriter) {
    let name = scope.declaredName
    let parameters = ["lhs: \(name)", "rhs: \(name)"]
    writer.function("public static func == ", parameters, " -> \(scope.standard("Bool"))") { writer in
      if table.fields.isEmpty { return writer.line("true") }
      writer.line("if lhs === rhs { return true }")
      writer.guard(table.fields.map { ("lhs.\($0.name)", "== rhs.\($0.name)") }, else: "return false")
      writer.line("return true")
    }
    writer.line()
    let hasher = "into hasher: inout \(scope.standard("Hasher"))"
    guard !table.fields.isEmpty else { return writer.line("public func hash(\(hasher)) {}") }
    writer.function("public func hash", [hasher]) { writer in
      for field in table.fields {
        // `hash` alone would be this method.
        let isHidden = field.name == "hasher" || field.name == "hash"
        writer.call("hasher.combine", [isHidden ? "self." + field.name : field.name])
      }
    }
  }
}
