extension OperationValidator {
  mutating func validate(_ variable: VariableDefinitionSyntax) {
    directives.validate(variable.directives, at: .variableDefinition)
    guard let type = system[variable.type.name.text] else {
      reportUnknownType(variable.type.name)
      return
    }
    guard type.isInput else {
      reports.report(
        variable.type.name.place,
        "the variable '$\(variable.name.text)' can't have the type '\(type.name)', which is \(type.kind.article)",
        advice: "use a scalar, an enum or an input object")
      return
    }
    if let value = variable.defaultValue { directives.values.validate(value, as: TypeReference(variable.type)) }
  }

  /// Checks the variables of an operation against their uses, also in the fragments that it reaches.
  mutating func validateVariables(of operation: OperationSyntax, _ own: DefinitionUses, in fragments: [String]) {
    var definitions: [String: VariableDefinitionSyntax] = [:]
    for variable in operation.variables {
      if let first = definitions[variable.name.text] {
        reports.report(
          variable.name.place,
          "the variable '$\(variable.name.text)' is already defined in "
            + reports.line(of: first.name.place, from: variable.name.place), advice: "remove or rename one of them")
      } else {
        definitions[variable.name.text] = variable
      }
    }
    let title = operation.name.map { "the operation '\($0.text)'" } ?? "the operation"
    var used: Set<String> = []
    for use in own.variables + fragments.flatMap({ fragmentUses[$0]?.variables ?? [] }) {
      guard let definition = definitions[use.name.text] else {
        reports.report(
          use.name.place, "\(title) defines no variable '$\(use.name.text)'",
          advice: Spelling.advice(for: use.name.text, among: definitions.keys) ?? "define it after the operation's name"
        )
        continue
      }
      used.insert(use.name.text)
      validate(use, of: definition)
    }
    for variable in operation.variables where !used.contains(variable.name.text) {
      reports.report(
        variable.name.place, "\(title) doesn't use its variable '$\(variable.name.text)'", advice: "use or remove it")
    }
  }

  /// Checks that a variable's values are allowed where it stands (section 5.8.5).
  private mutating func validate(_ use: VariableUse, of definition: VariableDefinitionSyntax) {
    let type = TypeReference(definition.type)
    guard let expected = use.type, system[type.name]?.isInput == true, system[expected.name] != nil else { return }
    let hasDefault = use.hasDefault || definition.defaultValue.map { !$0.isNull } ?? false
    let required = expected.isNonNull && !type.isNonNull && hasDefault ? expected.nullable : expected
    guard !system.isSubtype(type, of: required) else { return }
    reports.report(
      use.name.place,
      "the variable '$\(use.name.text)' has the type '\(type)', and '\(expected)' is needed here",
      advice: "change the variable's type to '\(expected)'")
  }
}
