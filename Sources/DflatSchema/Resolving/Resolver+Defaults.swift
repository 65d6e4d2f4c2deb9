extension Resolver {
  /// Resolves a field's default for its type. Returns `.none` without a default, and after an error.
  mutating func defaultValue(
    of field: FieldSyntax, type: TableDefinition.FieldType, namespace: [String], in file: Int
  ) -> TableDefinition.DefaultValue {
    guard var value = field.defaultValue else {
      if case .element(.enumeration(let index)) = type { return enumZero(index, field, in: file) }
      return .none
    }
    // flatc accepts numbers and names in quotes, too.
    switch type {
    case .element(.scalar(let scalar)): value = value.withoutQuotes(for: scalar)
    case .element(.enumeration): value = value.withoutQuotes(for: nil)
    default: break
    }
    let isNull = value.isPath("null")
    // `null` makes a scalar, an enum or a string optional; anything else depends on the type.
    switch type {
    case .element(.scalar(_)) where isNull, .element(.enumeration(_)) where isNull, .element(.string) where isNull:
      return .null
    case .element(.scalar(let scalar)) where scalar.isFloatingPoint:
      return floatingDefault(value, scalar, in: file)
    case .element(.scalar(let scalar)):
      return integerDefault(value, scalar, namespace: namespace, in: file)
    case .element(.enumeration(let index)):
      return enumDefault(value, index, namespace: namespace, in: file)
    case .element(.string):
      if case .string(let string) = value.kind { return .string(string) }
      report(in: file, at: value.position, "'\(value.shownText)' is not a string", advice: "put the default in quotes")
    case .vector:
      // An absent vector reads as an empty one, so `[]` has no effect.
      if case .emptyVector = value.kind { return .none }
      report(
        in: file, at: value.position, "a vector's default can only be '[]'",
        advice: "remove the default; an absent vector is empty")
    case .element(.structure), .element(.table), .element(.union):
      report(
        in: file, at: value.position, "\(type.description) can't have a default",
        advice: "remove it; such a field is optional")
    }
    return .none
  }

  /// Requires a default for an enum without a value 0, as flatc does, because an absent field would otherwise be 0.
  private mutating func enumZero(_ index: Int, _ field: FieldSyntax, in file: Int) -> TableDefinition.DefaultValue {
    let definition = schema.enums[index]
    guard !definition.isBitFlags, !enums[index].syntax.header.isDamaged, let first = definition.values.first,
      !definition.values.contains(where: { $0.number == 0 })
    else { return .none }
    report(
      in: file, at: field.name.position,
      "'\(definition.name.name)' has no value 0, which would be this field's default",
      advice: "write a default, '= \(first.name)' or '= null'")
    return .none
  }

  /// The words for floating-point numbers, in any case.
  private static let floatingWords: Set<String> = ["inf", "infinity", "nan"]

  private mutating func floatingDefault(
    _ value: ValueSyntax, _ scalar: ScalarType, in file: Int
  ) -> TableDefinition.DefaultValue {
    // Round to the field's type, as storing the value would.
    let number: Double?
    switch value.kind {
    case .integer: number = rounded(value.text, to: scalar)
    case .floating(let literal): number = rounded(literal.lowercased(), to: scalar)
    case .computed(let computed): number = scalar == .float ? Double(Float(computed)) : computed
    case .path(let parts) where parts.count == 1 && Self.floatingWords.contains(parts[0].lowercased()):
      number = Double(parts[0].lowercased())
    case .path(["true"]): number = 1
    case .path(["false"]): number = 0
    default: number = nil
    }
    guard let number else {
      report(
        in: file, at: value.position, "'\(value.shownText)' is not a number",
        advice: "write it as 1.5, 2e-3, inf or nan")
      return .none
    }
    // The literal is finite, but beyond the range of the type.
    if number.isInfinite, !value.isInfinity {
      warn(
        in: file, at: value.position, "'\(value.shownText)' is too large for '\(scalar.rawValue)', and so infinite",
        advice: "write a smaller number, or inf")
    }
    return .floating(number)
  }

  /// Rounds a literal once, to the field's own type. Rounding to `Double` first may result in another `Float`.
  private func rounded(_ literal: String, to scalar: ScalarType) -> Double? {
    let isHexadecimalInteger =
      (literal.contains("x") || literal.contains("X")) && !literal.contains { $0 == "p" || $0 == "P" }
    let text = isHexadecimalInteger ? literal + "p0" : literal
    return scalar == .float ? Float(text).map(Double.init) : Double(text)
  }

  private mutating func integerDefault(
    _ value: ValueSyntax, _ scalar: ScalarType, namespace: [String], in file: Int
  ) -> TableDefinition.DefaultValue {
    // Find the number. A literal beyond 128 bits is out of the range of any type.
    let number: Int128
    switch value.kind {
    case .integer(let integer): number = integer ?? .max
    case .path(["true"]): number = 1
    case .path(["false"]): number = 0
    // A value with the name of its enum, as in `Color.red`, or several in a string.
    case .path(let parts) where parts.count > 1 && scalar != .bool:
      guard let found = qualifiedValue(parts, value, namespace: namespace, in: file) else { return .none }
      number = found.number
    case .string(let text) where scalar != .bool && text.contains("."):
      guard let combined = combination(ofQualified: text, value, namespace: namespace, in: file) else { return .none }
      number = combined
    default:
      report(
        in: file, at: value.position, "'\(value.shownText)' is not a valid '\(scalar.rawValue)'",
        advice: scalar == .bool ? "write true, false or null" : "write a whole number or null")
      return .none
    }
    // flatc stores such a number as a byte, and every byte but 0 reads as true.
    if scalar == .bool, (2...255).contains(number) {
      warn(
        in: file, at: value.position, "\(value.shownText) is not a valid 'bool', and counts as true",
        advice: "write true, false or null")
      return .integer(1)
    }
    guard let range = scalar.range, range.contains(number) else {
      report(
        in: file, at: value.position, "\(value.shownText) is not a valid '\(scalar.rawValue)'",
        advice: scalar == .bool
          ? "write true, false or null"
          : "write a number from \(scalar.range?.lowerBound ?? 0) to \(scalar.range?.upperBound ?? 0), or use a wider type"
      )
      return .none
    }
    return .integer(number)
  }

  // MARK: Enums

  private mutating func enumDefault(
    _ value: ValueSyntax, _ index: Int, namespace: [String], in file: Int
  ) -> TableDefinition.DefaultValue {
    let definition = schema.enums[index]
    let isDamaged = enums[index].syntax.header.isDamaged
    // A number must be that of a value; bit flags allow any combination.
    switch value.kind {
    case .integer(let integer):
      let number = integer ?? .max
      let isValue =
        definition.isBitFlags
        ? definition.base.range?.contains(number) == true : definition.values.contains { $0.number == number }
      // The value may be among those that errors have hidden.
      if isValue || isDamaged { return .integer(number) }
      report(
        in: file, at: value.position, "\(value.shownText) is not a value of '\(definition.name.name)'",
        advice: advice(definition))
    case .path(let parts) where parts.count == 1:
      let name = parts[0]
      if let found = definition.values.first(where: { $0.name == name }) { return .integer(found.number) }
      reportUnknown(name, of: definition, isDamaged, at: value.position, in: file)
    // A qualified name may lead to a value of another enum.
    case .path(let parts):
      guard let found = qualifiedValue(parts, value, namespace: namespace, in: file) else { return .none }
      if found.enumeration == index { return .integer(found.number) }
      report(
        in: file, at: value.position, "'\(value.shownText)' is not a value of '\(definition.name.name)'",
        advice: advice(definition))
    // A string names one value, or several whose numbers are combined.
    case .string(let names):
      return combination(names, of: index, value, in: file)
    default:
      report(
        in: file, at: value.position, "'\(value.shownText)' is not a value of '\(definition.name.name)'",
        advice: advice(definition))
    }
    return .none
  }

  /// Resolves `"E.A F.B"`, the default of an integer from values of enums.
  private mutating func combination(
    ofQualified text: String, _ value: ValueSyntax, namespace: [String], in file: Int
  ) -> Int128? {
    var number: Int128 = 0
    for name in text.split(separator: " ") {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard parts.count > 1 else {
        report(
          in: file, at: value.position, "'\(name)' doesn't name its enum", advice: "write 'Enum.\(name)', or a number")
        return nil
      }
      guard let found = qualifiedValue(parts, value, namespace: namespace, in: file) else { return nil }
      number |= found.number
    }
    return number
  }

  /// Resolves `"A B"`, names separated by spaces. Only the values of bit flags may add up to a number without a name.
  private mutating func combination(
    _ text: String, of index: Int, _ value: ValueSyntax, in file: Int
  ) -> TableDefinition.DefaultValue {
    let definition = schema.enums[index]
    var number: Int128 = 0
    let names = text.split(separator: " ")
    for part in names {
      let name = part.split(separator: ".").last.map(String.init) ?? String(part)
      guard let found = definition.values.first(where: { $0.name == name }) else {
        reportUnknown(name, of: definition, enums[index].syntax.header.isDamaged, at: value.position, in: file)
        return .none
      }
      number |= found.number
    }
    guard !names.isEmpty, definition.isBitFlags || definition.values.contains(where: { $0.number == number }) else {
      report(
        in: file, at: value.position, "'\(value.shownText)' is not a value of '\(definition.name.name)'",
        advice: advice(definition))
      return .none
    }
    return .integer(number)
  }

  /// Resolves `Color.Red` or `Sample.Color.Red`.
  private mutating func qualifiedValue(
    _ parts: [String], _ value: ValueSyntax, namespace: [String], in file: Int
  ) -> (enumeration: Int, number: Int128)? {
    let path = PathSyntax(parts: parts.dropLast(), position: value.position)
    guard let type = find(path, from: namespace, in: file) else { return nil }
    guard case .enumeration(let index) = type else {
      report(in: file, at: value.position, "'\(path.text)' is not an enum", advice: "write a number or an enum's value")
      return nil
    }
    let name = parts[parts.count - 1]
    guard let found = schema.enums[index].values.first(where: { $0.name == name }) else {
      reportUnknown(name, of: schema.enums[index], enums[index].syntax.header.isDamaged, at: value.position, in: file)
      return nil
    }
    return (index, found.number)
  }

  private mutating func reportUnknown(
    _ name: String, of definition: EnumDefinition, _ isDamaged: Bool, at position: Int, in file: Int
  ) {
    guard !isDamaged else { return }
    report(
      in: file, at: position, "'\(definition.name.name)' has no value '\(name)'", advice: advice(definition))
  }

  private func advice(_ definition: EnumDefinition) -> String {
    let names = definition.values.prefix(8).map(\.name).joined(separator: ", ")
    return names.isEmpty
      ? "write a value of the enum" : "write one of \(names)\(definition.values.count > 8 ? ", …" : "")"
  }
}

extension ValueSyntax {
  /// Returns the value in the quotes of a string if it is one of the type, otherwise the value itself.
  ///
  /// - Parameter scalar: The type; nil for an enum, whose names may be in quotes too.
  fileprivate func withoutQuotes(for scalar: ScalarType?) -> ValueSyntax {
    guard case .string(let content) = kind else { return self }
    var unquoted = self
    unquoted.text = content.trimmingSpaces
    if unquoted.text == "null" || scalar == .bool && ["true", "false"].contains(unquoted.text) {
      unquoted.kind = .path([unquoted.text])
    } else if let number = IntegerLiteral.value(of: unquoted.text) {
      unquoted.kind = .integer(number)
    } else if scalar?.isFloatingPoint == true, Double(unquoted.text.lowercased()) != nil {
      unquoted.kind = .floating(unquoted.text)
    } else {
      return self
    }
    return unquoted
  }

  /// True for infinity itself, as opposed to a number that is too large.
  fileprivate var isInfinity: Bool { text.lowercased().contains("inf") }

  fileprivate func isPath(_ word: String) -> Bool { if case .path([word]) = kind { true } else { false } }

  /// The text for errors, shortened because a literal may be of any length.
  fileprivate var shownText: String { text.utf8.count <= 40 ? text : text.prefix(37) + "..." }
}
