/// Makes Swift expressions for the initial values of fields.
///
/// The expressions name only implicit members, because a type's name may be hidden.
struct DefaultExpressions {
  let scope: SwiftScope

  /// Returns the value of a field in a new builder.
  func initial(of field: TableField) -> String {
    if field.isVector { return "[]" }
    if field.isOptional { return "nil" }
    return field.fallback ?? required(field.field.type) ?? ".init()"
  }

  /// Returns the value of a field that must have one: an empty string, a struct of zeros, a table with its required
  /// fields, or the first possible member of a union. Returns nil if a table needs another one of itself without end,
  /// or too many tables.
  func required(_ type: TableDefinition.FieldType) -> String? {
    guard case .element(let element) = type else { return "[]" }
    var maker = Maker(scope: scope)
    return maker.value(of: element)
  }

  private struct Maker {
    let scope: SwiftScope
    /// The tables under construction.
    var open: Set<Int> = []
    /// The remaining number of tables. Tables may require each other so often that the expression becomes too large.
    var remainingTables = 1000

    private var schema: Schema { scope.context.schema }

    init(scope: SwiftScope) { self.scope = scope }

    mutating func value(of element: TableDefinition.ElementType) -> String? {
      switch element {
      case .scalar, .enumeration: nil
      case .string: "\"\""
      case .structure: ".init()"
      case .table(let index): table(index)
      case .union(let index): union(index)
      }
    }

    private mutating func table(_ index: Int) -> String? {
      guard remainingTables > 0, open.insert(index).inserted else { return nil }
      remainingTables -= 1
      defer { open.remove(index) }
      var arguments: [String] = []
      let fields = schema.tables[index].fields.filter { !$0.isDeprecated }
      for field in fields.filter(\.isPrimary) + fields.filter({ !$0.isPrimary }) {
        guard let argument = argument(field) else { continue }
        guard let value = argument.value else { return nil }
        arguments.append("\(argument.label): \(value)")
      }
      return ".init(\(arguments.joined(separator: ", ")))"
    }

    /// Returns the argument for a field, with a nil value if it can't have one, or nil if the parameter has a default.
    private mutating func argument(_ field: TableDefinition.Field) -> (label: String, value: String?)? {
      guard case .element(let element) = field.type else { return nil }
      let label = ReservedNames.argumentLabel(ReservedNames.property(field.declaration.swiftName))
      switch element {
      case .scalar(let type):
        guard field.isPrimary else { return nil }
        return (label, scope.literal(field.defaultValue, of: type))
      case .enumeration(let index):
        guard field.isPrimary else { return nil }
        let definition = schema.enums[index]
        if case .integer(let number) = field.defaultValue { return (label, scope.literal(number, of: definition)) }
        return (label, scope.literal(definition.defaultNumber, of: definition))
      case .string:
        if field.isPrimary, case .string(let text) = field.defaultValue { return (label, SwiftLiterals.quoted(text)) }
        guard field.isRequired, field.defaultValue == .none else { return nil }
        return (label, "\"\"")
      case .structure, .table, .union:
        guard field.isRequired else { return nil }
        return (label, value(of: element))
      }
    }

    private mutating func union(_ index: Int) -> String? {
      for member in schema.unions[index].members {
        let value: String? =
          switch member.type {
          case .table(let index): table(index)
          case .structure: ".init()"
          case .string: "\"\""
          }
        guard let value else { continue }
        return ".\(ReservedNames.unionCase(member.declaration.swiftName))(\(value))"
      }
      return nil
    }
  }
}
