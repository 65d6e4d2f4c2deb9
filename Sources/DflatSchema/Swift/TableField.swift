/// A field of a table that isn't deprecated, and what it is in Swift.
struct TableField {
  let field: TableDefinition.Field
  let scope: SwiftScope
  /// Boxed, as the table would contain itself.
  let isIndirect: Bool

  init(_ field: TableDefinition.Field, isIndirect: Bool, in scope: SwiftScope) {
    self.field = field
    self.scope = scope
    self.isIndirect = isIndirect
  }

  /// The property's name.
  var name: String { ReservedNames.property(SwiftNames.memberName(field.name)) }

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

  /// What stands for a value that the bytes don't have, in a property that isn't optional.
  var fallback: String? {
    switch element {
    case .scalar(let type): scope.literal(field.defaultValue, of: type)
    case .enumeration(let index): enumerationFallback(index)
    case .string: if case .string(let text) = field.defaultValue { SwiftScope.quoted(text) } else { nil }
    case .structure, .table, .union: nil
    }
  }

  var isVector: Bool { if case .vector = field.type { true } else { false } }

  /// A field's type, or that of a vector's elements.
  var element: TableDefinition.ElementType {
    switch field.type {
    case .element(let type), .vector(let type): type
    }
  }

  /// The property is an optional.
  var isOptional: Bool {
    guard !isVector, !field.isPrimary else { return false }
    return switch element {
    case .scalar, .enumeration: field.defaultValue == .null
    case .string: !field.isRequired && fallback == nil
    case .structure, .table, .union: !field.isRequired
    }
  }

  /// Bytes have to have the field.
  var isRequired: Bool {
    switch element {
    case .scalar, .enumeration: isVector && field.isRequired
    case .string: field.isRequired || (field.isPrimary && !isVector && fallback == nil)
    case .structure, .table, .union: field.isRequired
    }
  }

  /// The Swift type of a value or of a vector's element.
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
    var number = SwiftScope.defaultNumber(definition)
    if case .integer(let value) = field.defaultValue { number = value }
    return scope.literal(number, of: definition)
  }

  private func property(parameterType: String, defaultArgument: String?, fallback: String?) -> Property {
    Property(
      name: name, type: type, documentation: field.declaration.documentation, parameterType: parameterType,
      defaultArgument: defaultArgument, initialValue: name, fallback: fallback)
  }
}
