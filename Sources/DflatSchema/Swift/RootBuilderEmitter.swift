/// Emits a root's builder, an editable copy of an object.
struct RootBuilderEmitter {
  private let scope: SwiftScope
  private let fields: [TableField]

  init(table: TableEmitter) {
    scope = table.scope.besideType()
    fields = table.fields(in: scope)
  }

  func emit(to writer: inout CodeWriter) {
    let type = scope.ownReference()
    writer.line("/// An editable copy of \(scope.type.withArticle).")
    writer.type("public struct \(scope.type)Builder", [scope.entities("EntityBuilder")]) { writer in
      // The properties.
      for field in fields {
        writer.documentation(field.field.declaration.documentation)
        writer.declaration("public var \(name(field))", field.type)
      }
      writer.line()
      writer.line("/// Creates a builder in which every field has its default.")
      writer.block("public init()") { writer in
        let defaults = DefaultExpressions(scope: scope)
        for field in fields { writer.assignment(name(field), defaults.initial(of: field)) }
      }
      writer.line()
      writer.line("/// Creates a builder with the fields of an object.")
      writer.function("public init", ["from object: \(type)"]) { writer in
        for field in fields {
          let property = name(field)
          // A property named `object` has the name of the parameter.
          writer.assignment(property == "object" ? "self.object" : property, "object.\(field.name)")
        }
      }
      writer.line()
      writer.line("/// Builds an object that is not stored.")
      writer.function("public func build", [String](), " -> \(type)") { $0.line(".init(self, identity: .unsaved)") }
      writer.line()
      writer.function("public func build", ["identity: \(scope.entities("EntityIdentity"))"], " -> \(type)") {
        $0.line(".init(self, identity: identity)")
      }
    }
  }

  private func name(_ field: TableField) -> String { ReservedNames.builderProperty(field.name) }
}

extension String {
  /// The text in backticks, after an indefinite article: ``a `Post` ``.
  var withArticle: String { ("AEIOUaeiou".contains(prefix(1)) ? "an" : "a") + " `\(self)`" }
}
