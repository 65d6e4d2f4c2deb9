/// Emits a root's change request, which writes an object in a transaction.
struct ChangeRequestEmitter {
  let table: TableEmitter

  func emit(to writer: inout CodeWriter) {
    let scope = table.scope.besideType()
    writer.line("/// A request to change \(scope.type.withArticle), which a transaction submits.")
    let base = "\(scope.entities("EntityChangeRequest"))<\(scope.ownReference())>"
    writer.type("public final class \(scope.type)ChangeRequest", [base]) { writer in
      for field in table.fields(in: scope) {
        let value = "_values.\(ReservedNames.builderProperty(field.name))"
        writer.documentation(field.field.declaration.documentation)
        writer.variable("public var \(field.name)", field.type) { writer in
          writer.accessor("get", value)
          writer.accessor("set", "\(value) = newValue")
        }
      }
    }
  }

  /// Writes the extension of `Optional`, at the top level of the file.
  func emitOptional(to writer: inout CodeWriter) {
    let scope = table.scope.inOptional()
    writer.line("/// An optional request: if it is nil, setting a field has no effect, and submitting it throws.")
    let constraint = "where Wrapped == \(scope.ownReference("ChangeRequest"))"
    writer.constrainedExtension(scope.standard("Optional"), constraint) { writer in
      for field in table.fields(in: scope) {
        let builderProperty = ReservedNames.builderProperty(field.name)
        writer.documentation(field.field.declaration.documentation)
        writer.variable("public var \(field.name)", field.type) { writer in
          writer.accessor("get", "self?.\(field.name) ?? Wrapped.Element._Builder().\(builderProperty)")
          writer.accessor("nonmutating set", "self?.\(field.name) = newValue")
        }
      }
    }
  }
}
