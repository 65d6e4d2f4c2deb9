/// Returns a schema's layout as lines of text, from the binary form that flatc wrote.
func summary(of root: Reflected.Root) throws -> [String] {
  let summary = ReflectedSummary(root: root)
  return (root.objects.map(summary.lines) + root.enums.map(summary.lines)).sorted()
}

private struct ReflectedSummary {
  let root: Reflected.Root

  func lines(_ object: Reflected.Object) -> String {
    let head =
      object.isStruct
      ? "struct \(object.name) size \(object.byteSize) alignment \(object.minimumAlignment)" : "table \(object.name)"
    // flatc lists the kinds of unions as fields of their own.
    let fields = object.fields.filter { $0.type.base != .kind && $0.type.element != .kind }
      .sorted { $0.offset < $1.offset }
    return ([head] + documentation(object.documentation) + fields.map { line($0, inStruct: object.isStruct) })
      .joined(separator: "\n")
  }

  private func line(_ field: Reflected.Field, inStruct: Bool) -> String {
    var line = "  \(field.offset) \(field.name): \(type(field.type))"
    switch field.type.base {
    case .string, .vector, .object, .union, .array: break
    case _ where inStruct: break
    case _ where field.isOptional: line += " = null"
    case .float, .double: line += " = \(field.defaultReal)"
    default: line += " = \(field.defaultInteger)"
    }
    if field.isDeprecated { line += " deprecated" }
    if field.isRequired { line += " required" }
    return line
  }

  func lines(_ definition: Reflected.Enum) -> String {
    let head =
      definition.isUnion
      ? "union \(definition.name)" : "enum \(definition.name): \("\(definition.underlying.base)".lowercased())"
    let values = definition.values.filter { !(definition.isUnion && $0.value == 0) }.map { value in
      let member = definition.isUnion ? ": \(value.unionType.map(type) ?? "none")" : ""
      return "  \(value.name) = \(value.value)\(member)"
    }
    return ([head] + documentation(definition.documentation) + values).joined(separator: "\n")
  }

  private func documentation(_ lines: [String]) -> [String] {
    lines.map { "  /// \($0.hasPrefix(" ") ? String($0.dropFirst()) : $0)" }
  }

  private func type(_ type: Reflected.FieldType) -> String {
    switch type.base {
    case .vector: "[\(element(type.element, type.index))]"
    case .array: "[\(element(type.element, type.index)):\(type.fixedLength)]"
    default: element(type.base, type.index)
    }
  }

  private func element(_ base: Reflected.Base, _ index: Int32) -> String {
    switch base {
    case .object: root.objects[Int(index)].name
    case _ where index >= 0: root.enums[Int(index)].name
    default: "\(base)".lowercased()
    }
  }
}
