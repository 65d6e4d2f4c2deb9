/// What fields have in an object that nobody has filled in.
///
/// Only implicit members are named, as any type's own name may be hidden.
struct DefaultExpressions {
  let scope: SwiftScope

  /// What a builder begins with.
  func initial(of field: TableField) -> String {
    if field.isVector { return "[]" }
    if field.isOptional { return "nil" }
    return field.fallback ?? required(field.field.type) ?? ".init()"
  }

  /// The value of a field that has to have one: an empty string, a struct of zeros, a table of its required fields, a
  /// union's first member that there can be; nil where a table needs another one of itself and so on, or far too many.
  func required(_ type: TableDefinition.FieldType) -> String? {
    guard case .element(let element) = type else { return "[]" }
    var maker = Maker(scope: scope)
    return maker.value(of: element)
  }

  private struct Maker {
    let scope: SwiftScope
    /// The tables that are being made.
    var open: Set<Int> = []
    /// Tables may need each other so often that nobody wants to read it.
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

    /// The argument of a parameter without a default; its value is nil where there is none.
    private mutating func argument(_ field: TableDefinition.Field) -> (label: String, value: String?)? {
      guard case .element(let element) = field.type else { return nil }
      let label = ReservedNames.argumentLabel(ReservedNames.property(SwiftNames.memberName(field.name)))
      switch element {
      case .scalar(let type):
        guard field.isPrimary else { return nil }
        return (label, scope.literal(field.defaultValue, of: type))
      case .enumeration(let index):
        guard field.isPrimary else { return nil }
        let definition = schema.enums[index]
        if case .integer(let number) = field.defaultValue { return (label, scope.literal(number, of: definition)) }
        return (label, scope.literal(SwiftScope.defaultNumber(definition), of: definition))
      case .string:
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
        return ".\(ReservedNames.unionCase(SwiftNames.unionCaseName(member.name)))(\(value))"
      }
      return nil
    }
  }
}
