/// Emits an `enum` as a Swift enum.
struct EnumEmitter {
  let definition: EnumDefinition
  let scope: SwiftScope

  func emit(to writer: inout CodeWriter) {
    let name = ReservedNames.insideEnum(scope.declaredName)
    writer.documentation(definition.declaration.documentation)
    writer.type(
      "public enum \(scope.declaredName)",
      [
        scope.scalar(definition.base), scope.buffers("FlatBufferEnum"), scope.entities("DflatFriendlyValue"),
        scope.standard("CaseIterable"),
      ]
    ) { writer in
      // The cases.
      for value in definition.values {
        writer.documentation(value.declaration.documentation)
        writer.line("case \(caseName(value)) = \(SwiftLiterals.decimal(value.number))")
      }
      writer.line()
      // An absent field reads as the default, so the type must have one, also without a value 0.
      let fallback = definition.defaultNumber
      let first = definition.values.first { $0.number == fallback } ?? definition.values[0]
      writer.accessor("public static var flatBufferDefault: \(name)", ".\(caseName(first))")
      writer.line()
      writer.emitOrder(of: name, in: scope)
    }
  }

  private func caseName(_ value: EnumDefinition.Value) -> String {
    ReservedNames.enumCase(value.declaration.swiftName)
  }
}

extension CodeWriter {
  /// Writes `<`, which orders enums and options by their numbers.
  mutating func emitOrder(of name: String, in scope: SwiftScope) {
    function("public static func < ", ["lhs: \(name)", "rhs: \(name)"], " -> \(scope.standard("Bool"))") {
      $0.line("lhs.rawValue < rhs.rawValue")
    }
  }
}
