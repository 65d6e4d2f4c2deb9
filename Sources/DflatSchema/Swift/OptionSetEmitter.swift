/// Emits an `enum` with `bit_flags` as an option set, which keeps bits that have no name in the schema.
struct OptionSetEmitter {
  let definition: EnumDefinition
  let scope: SwiftScope

  func emit(to writer: inout CodeWriter) {
    let name = ReservedNames.insideEnum(scope.declaredName)
    let base = scope.scalar(definition.base)
    let hidesType = definition.values.contains { optionName($0) == name }
    writer.documentation(definition.declaration.documentation)
    writer.type(
      "public struct \(scope.declaredName)",
      [scope.standard("OptionSet"), scope.buffers("FlatBufferEnum"), scope.entities("DflatFriendlyValue")]
    ) { writer in
      for value in definition.values {
        writer.documentation(value.declaration.documentation)
        let option = optionName(value)
        let argument = "rawValue: \(SwiftLiterals.decimal(value.number))"
        if hidesType || option == "rawValue" {
          // Either inferring the type would be circular, or an option hides the type's name.
          writer.assignment("public static let \(option): \(name)", ".init(\(argument))")
        } else {
          writer.assignment("public static let \(option)", "\(name)(\(argument))")
        }
      }
      writer.line()
      writer.line("public let rawValue: \(base)")
      writer.line()
      writer.function("public init", ["rawValue: \(base)"]) { $0.line("self.rawValue = rawValue") }
      writer.line()
      writer.accessor("public static var flatBufferDefault: \(name)", "[]")
      writer.line()
      writer.emitOrder(of: name, in: scope)
    }
  }

  private func optionName(_ value: EnumDefinition.Value) -> String {
    ReservedNames.enumCase(value.declaration.swiftName)
  }
}
