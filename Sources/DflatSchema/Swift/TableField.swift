/// A field of a table that isn't deprecated, and its representation in Swift.
struct TableField {
  let field: TableDefinition.Field
  let scope: SwiftScope
  /// True if the field is boxed because the table would contain itself.
  let isIndirect: Bool

  init(_ field: TableDefinition.Field, isIndirect: Bool, in scope: SwiftScope) {
    self.field = field
    self.scope = scope
    self.isIndirect = isIndirect
  }

  /// The property's name.
  var name: String { ReservedNames.property(field.declaration.swiftName) }

  /// The property's type.
  var type: String { isOptional ? elementType + "?" : isVector ? "[\(elementType)]" : elementType }

  var property: Property {
    if isVector {
      return property(parameterType: type + "?", defaultArgument: "[]", fallback: "[]")
    }
    if isOptional { return property(parameterType: type, defaultArgument: "nil", fallback: nil) }
    guard !field.isPrimary, let fallback else {
      return property(parameterType: type, defaultArgument: nil, fallback: nil)
    }
    return property(
      parameterType: type + "?", defaultArgument: SwiftScope.asOptional(fallback), fallback: fallback)
  }

  /// The value of an absent field in a property that isn't optional; nil if there is none.
  var fallback: String? {
    switch element {
    case .scalar(let type): scope.literal(field.defaultValue, of: type)
    case .enumeration(let index): enumerationFallback(index)
    case .string: if case .string(let text) = field.defaultValue { SwiftLiterals.quoted(text) } else { nil }
    case .structure, .table, .union: nil
    }
  }

  var isVector: Bool { if case .vector = field.type { true } else { false } }

  /// The field's type, or that of the vector's elements.
  var element: TableDefinition.ElementType {
    switch field.type {
    case .element(let type), .vector(let type): type
    }
  }

  /// True if the property is an optional.
  var isOptional: Bool {
    guard !isVector, !field.isPrimary else { return false }
    return switch element {
    case .scalar, .enumeration: field.defaultValue == .null
    case .string: !field.isRequired && fallback == nil
    case .structure, .table, .union: !field.isRequired
    }
  }

  /// True if a table without the field is invalid.
  var isRequired: Bool {
    switch element {
    case .scalar, .enumeration: isVector && field.isRequired
    case .string: field.isRequired || (field.isPrimary && !isVector && fallback == nil)
    case .structure, .table, .union: field.isRequired
    }
  }

  /// The Swift type of the value or of the vector's elements.
  var elementType: String {
    switch element {
    case .scalar(let type): scope.scalar(type)
    case .enumeration(let index): scope.reference(.enumeration(index))
    case .string: scope.standard("String")
    case .structure(let index): scope.reference(.structure(index))
    case .table(let index): scope.reference(.table(index))
    case .union(let index): scope.reference(.union(index))
    }
  }

  private func enumerationFallback(_ index: Int) -> String {
    let definition = scope.context.schema.enums[index]
    var number = definition.defaultNumber
    if case .integer(let value) = field.defaultValue { number = value }
    return scope.literal(number, of: definition)
  }

  private func property(parameterType: String, defaultArgument: String?, fallback: String?) -> Property {
    Property(
      name: name, type: type, documentation: field.declaration.documentation, parameterType: parameterType,
      defaultArgument: defaultArgument, initialValue: name, fallback: fallback)
  }
}
