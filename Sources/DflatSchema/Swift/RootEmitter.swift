/// Emits a root with a primary key as an entity: an immutable class, its builder, its change request, and its
/// fields in queries.
struct RootEmitter {
  /// The suffixes of the types generated with the class.
  static let suffixes = ["Builder", "ChangeRequest"]

  private let table: TableEmitter

  private var scope: SwiftScope { table.scope }

  init(_ index: Int, in context: EmitterContext) {
    table = TableEmitter(index, in: context)
  }

  func emit(to writer: inout CodeWriter) {
    emitClass(to: &writer)
    writer.line()
    RootBuilderEmitter(table: table).emit(to: &writer)
    writer.line()
    ChangeRequestEmitter(table: table).emit(to: &writer)
  }

  private func emitClass(to writer: inout CodeWriter) {
    writer.documentation(table.definition.declaration.documentation)
    writer.type("public final class \(scope.declaredName)", [scope.entities("Atom")]) { writer in
      for field in table.fields {
        writer.documentation(field.field.declaration.documentation)
        writer.declaration("public let \(field.name)", field.type)
      }
      writer.line("public let _identity: \(scope.entities("EntityIdentity"))")
      writer.line()
      writer.emitAliases(of: scope)
      // The initializers, the coding, and what queries use.
      table.emitMemberwiseInitializer(to: &writer)
      writer.line()
      emitEquality(to: &writer)
      writer.line()
      table.emitCoding(to: &writer)
      table.emitNestedRoots(to: &writer)
      writer.line()
      emitBuilding(to: &writer)
      writer.line()
      EntityDescriptionEmitter(table: table).emit(to: &writer)
      writer.line()
      let fields = QueryFieldsEmitter(fields: table.definition.fields, scope: scope)
      fields.emit(to: &writer)
      writer.line()
      fields.emitStatic(to: &writer)
    }
  }

  /// Writes `==` and `hash(into:)`. `==` has a statement per field: a single expression of hundreds would slow down the
  /// type checker, and so would a `guard` with hundreds of conditions.
  private func emitEquality(to writer: inout CodeWriter) {
    let name = scope.ownReference()
    let parameters = ["lhs: \(name)", "rhs: \(name)"]
    writer.function("public static func == ", parameters, " -> \(scope.standard("Bool"))") { writer in
      writer.line("if lhs === rhs { return true }")
      for field in table.fields { writer.line("if lhs.\(field.name) != rhs.\(field.name) { return false }") }
      writer.line("return true")
    }
    writer.line()
    writer.function("public func hash", ["into hasher: inout \(scope.standard("Hasher"))"]) { writer in
      for field in table.fields {
        // `hash` alone would refer to this method.
        let isHidden = field.name == "hasher" || field.name == "hash"
        writer.call("hasher.combine", [isHidden ? "self." + field.name : field.name])
      }
    }
  }

  /// Writes the initializer that the builder calls. One with a parameter per field would be slow to compile.
  private func emitBuilding(to writer: inout CodeWriter) {
    let builder = scope.ownReference("Builder")
    writer.assignment("public typealias _Builder", builder)
    writer.line()
    let parameters = ["_ builder: \(builder)", "identity: \(scope.entities("EntityIdentity"))"]
    writer.function("fileprivate init", parameters) { writer in
      for field in table.fields {
        let isHidden = field.name == "builder" || field.name == "identity"
        writer.assignment(
          isHidden ? "self." + field.name : field.name, "builder.\(ReservedNames.builderProperty(field.name))")
      }
      writer.line("_identity = identity")
    }
  }
}
