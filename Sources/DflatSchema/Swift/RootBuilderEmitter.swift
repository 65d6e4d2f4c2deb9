/// A root's builder: a mutable copy of an instance.
struct RootBuilderEmitter {
  let table: TableEmitter

  func emit(to writer: inout CodeWriter) {
    let type = table.scope.declaredName
    let plain = table.scope.type
    writer.line("/// A changeable copy of \(Self.article(plain)) `\(plain)`.")
    writer.block("public struct \(plain)Builder: \(table.scope.standard("Sendable"))") { writer in
      for field in table.fields {
        writer.documentation(field.field.declaration.documentation)
        writer.declaration("public var \(ReservedNames.builderProperty(field.name))", field.type)
      }
      if !table.fields.isEmpty { writer.line() }
      emitInitializer(of: type, to: &writer)
      writer.line()
      emitBuild(type, to: &writer)
    }
  }

  private func emitInitializer(of type: String, to writer: inout CodeWriter) {
    guard !table.fields.isEmpty else { return writer.line("public init(from object: \(type)) {}") }
    writer.function("public init", ["from object: \(type)"]) { writer in
      for field in table.fields {
        let property = ReservedNames.builderProperty(field.name)
        writer.assignment(property == "object" ? "self.object" : property, "object.\(field.name)")
      }
    }
  }

  private func emitBuild(_ type: String, to writer: inout CodeWriter) {
    writer.block("public func build() -> \(type)") { writer in
      // A property may have a type's name where that isn't capitalized.
      let hasPropertyOfThatName = table.fields.contains { $0.name == type }
      writer.call(
        hasPropertyOfThatName ? ".init" : type,
        table.parameters.map { "\(ReservedNames.argumentLabel($0.name)): \(ReservedNames.builderProperty($0.name))" })
    }
  }

  private static func article(_ name: String) -> String {
    "AEIOUaeiou".contains(name.prefix(1)) ? "an" : "a"
  }
}
