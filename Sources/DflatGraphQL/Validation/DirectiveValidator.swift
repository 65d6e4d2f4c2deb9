/// Checks the directives of documents against their definitions (section 5.7 of the specification).
struct DirectiveValidator {
  /// Checks the values of arguments, and has the reports.
  var values: ValueValidator
  /// True if errors have hidden definitions. Unknown directives may be their consequence and are not reported.
  let hasLostDefinitions: Bool

  /// Checks the directives of a definition of the type system.
  mutating func validate(_ definition: DefinitionSyntax) {
    switch definition {
    case .schema(let syntax): validate(syntax.directives, at: .schema)
    case .type(let syntax): validate(syntax)
    case .directive(let syntax): validate(syntax.arguments, at: .argumentDefinition)
    case .operation, .fragment: break
    }
  }

  private mutating func validate(_ type: TypeSyntax) {
    validate(type.directives, at: type.kind.directiveLocation)
    for field in type.fields {
      validate(field.directives, at: .fieldDefinition)
      validate(field.arguments, at: .argumentDefinition)
    }
    for value in type.values { validate(value.directives, at: .enumValue) }
    validate(type.inputs, at: .inputFieldDefinition)
  }

  private mutating func validate(_ inputs: [InputValueSyntax], at location: DirectiveLocation) {
    for input in inputs {
      validate(input.directives, at: location)
      if let value = input.defaultValue { values.validate(value, as: TypeReference(input.type)) }
    }
  }

  /// Checks the directives at one place.
  mutating func validate(_ directives: [DirectiveSyntax], at location: DirectiveLocation) {
    var first: [String: Place] = [:]
    for directive in directives {
      let name = directive.name.text
      guard let definition = values.system.directives[name] else {
        reportUnknown(directive.name)
        values.validate(directive.arguments, [])
        continue
      }
      if !definition.locations.contains(location) {
        values.reports.report(
          directive.name.place, "the directive '@\(name)' can't stand at \(location.rawValue)",
          advice: "its definition allows " + definition.locations.map(\.rawValue).sorted().joined(separator: ", "))
      }
      if !definition.isRepeatable {
        if first[name] != nil {
          values.reports.report(
            directive.name.place, "the directive '@\(name)' is repeated", advice: "remove one of them")
        }
        first[name] = directive.name.place
      }
      let arguments = ArgumentCheck(
        owner: "the directive '@\(name)'", place: directive.name.place, definitions: definition.arguments)
      arguments.check(directive.arguments, &values.reports)
      values.validate(directive.arguments, definition.arguments)
    }
  }

  private mutating func reportUnknown(_ name: NameSyntax) {
    guard !hasLostDefinitions else { return }
    values.reports.report(
      name.place, "the directive '@\(name.text)' is not defined",
      advice: Spelling.advice(for: name.text, among: values.system.directives.keys)
        ?? "define it in the schema, or remove it")
  }
}

/// Checks the names of arguments against their definitions (section 5.4 of the specification).
struct ArgumentCheck {
  /// The field or directive that has the arguments, as `the field 'hero'`.
  let owner: String
  let place: Place
  let definitions: [InputValue]

  func check(_ arguments: [ArgumentSyntax], _ reports: inout Reports) {
    Self.checkUnique(arguments, "the argument", &reports)
    let names = definitions.map(\.name.text)
    for argument in arguments where !names.contains(argument.name.text) {
      reports.report(
        argument.name.place, "\(owner) has no argument '\(argument.name.text)'",
        advice: Spelling.advice(for: argument.name.text, among: names) ?? "remove it")
    }
    let given = Set(arguments.map(\.name.text))
    for definition in definitions where definition.isRequired && !given.contains(definition.name.text) {
      reports.report(
        place, "\(owner) lacks the argument '\(definition.name.text)'",
        advice: "add '\(definition.name.text): …' with a value of the type '\(definition.type)'")
    }
  }

  /// Reports repeated names of arguments or of an object's fields.
  static func checkUnique(_ arguments: [ArgumentSyntax], _ what: String, _ reports: inout Reports) {
    var known: Set<String> = []
    for argument in arguments where !known.insert(argument.name.text).inserted {
      reports.report(
        argument.name.place, "\(what) '\(argument.name.text)' is repeated", advice: "remove one of them")
    }
  }
}

extension TypeSyntax.Kind {
  fileprivate var directiveLocation: DirectiveLocation {
    switch self {
    case .scalar: .scalar
    case .object: .object
    case .interface: .interface
    case .union: .union
    case .enumeration: .enumeration
    case .input: .inputObject
    }
  }
}
