/// Checks the rules for type systems in section 3 of the specification, apart from those on repeated names.
struct TypeSystemValidator {
  let system: TypeSystem
  var reports: Reports
  private let hasLostDefinitions: Bool

  init(_ builder: TypeSystemBuilder) {
    system = builder.system
    reports = builder.reports
    hasLostDefinitions = builder.hasLostDefinitions
  }

  mutating func validate(_ definitions: [DefinitionSyntax]) {
    validateRoots(definitions)
    for name in system.order {
      if let type = system.types[name], !type.isBuiltIn { validate(type) }
    }
    for directive in system.directives.values where !directive.isBuiltIn { validate(directive) }
    validateInputCycles()
    // Directives where they are used, and default values.
    var directives = DirectiveValidator(
      values: ValueValidator(system: system, reports: reports), hasLostDefinitions: hasLostDefinitions)
    for definition in definitions { directives.validate(definition) }
    reports = directives.values.reports
  }

  // MARK: Operation types

  private mutating func validateRoots(_ definitions: [DefinitionSyntax]) {
    if system.roots[.query] == nil, !hasLostDefinitions, definitions.allSatisfy({ $0.place(of: .query) == nil }) {
      let place = definitions.first?.place ?? Place(file: 0, offset: 0)
      reports.report(
        place, "the schema has no query type", advice: "define 'type Query', or name one with 'schema { query: … }'")
    }
    var kinds: [String: OperationSyntax.Kind] = [:]
    for kind in OperationSyntax.Kind.allCases {
      guard let name = system.roots[kind] else { continue }
      if let first = kinds[name] {
        let place = definitions.lazy.compactMap { $0.place(of: kind) }.first ?? system.types[name]?.place
        reports.report(
          place ?? Place(file: 0, offset: 0), "'\(name)' is both the \(first.rawValue) and the \(kind.rawValue) type",
          advice: "give each operation a type of its own")
      } else {
        kinds[name] = kind
      }
    }
  }

  // MARK: Types

  private mutating func validate(_ type: TypeDefinition) {
    validateName(NameSyntax(text: type.name, place: type.place), "type")
    switch type.kind {
    case .scalar: break
    case .object, .interface:
      if type.fields.isEmpty { reportEmpty(type, "field") }
      for field in type.fields { validate(field) }
      validateInterfaces(of: type)
    case .union: validateMembers(of: type)
    case .enumeration:
      if type.values.isEmpty { reportEmpty(type, "value") }
      for value in type.values { validateName(value.name, "value") }
    case .input:
      if type.inputs.isEmpty { reportEmpty(type, "field") }
      for input in type.inputs {
        validateName(input.name, "field")
        validateInput(input, "field")
      }
    }
  }

  private mutating func reportEmpty(_ type: TypeDefinition, _ element: String) {
    guard !hasLostDefinitions else { return }
    reports.report(
      type.place, "'\(type.name)' has no \(element)", advice: "give it at least one \(element), here or in an extension"
    )
  }

  /// Reports a name that introspection reserves.
  private mutating func validateName(_ name: NameSyntax, _ what: String) {
    guard name.text.hasPrefix("__") else { return }
    reports.report(
      name.place, "the name of the \(what) '\(name.text)' begins with two underscores, which GraphQL reserves",
      advice: "choose another name")
  }

  private mutating func validate(_ field: FieldDefinition) {
    validateName(field.name, "field")
    if let type = knownType(field.typeName), type.kind == .input {
      reports.report(
        field.typeName.place, "the field '\(field.name.text)' can't have the type '\(type.name)', an input object",
        advice: "define an object type for results")
    }
    for argument in field.arguments {
      validateName(argument.name, "argument")
      validateInput(argument, "argument")
    }
  }

  /// Checks the type of an argument or of an input object's field.
  private mutating func validateInput(_ input: InputValue, _ what: String) {
    if let type = knownType(input.typeName), !type.isInput {
      reports.report(
        input.typeName.place,
        "the \(what) '\(input.name.text)' can't have the type '\(type.name)', which is \(type.kind.article)",
        advice: "use a scalar, an enum or an input object")
    }
    if input.isRequired, input.isDeprecated {
      reports.report(
        input.name.place, "the required \(what) '\(input.name.text)' can't be deprecated",
        advice: "give it a default value, or remove '!' from its type")
    }
  }

  /// Returns a type, or nil after reporting that it isn't defined.
  private mutating func knownType(_ name: NameSyntax) -> TypeDefinition? {
    if let type = system.types[name.text] { return type }
    if !hasLostDefinitions {
      reports.report(
        name.place, "the type '\(name.text)' is not defined",
        advice: Spelling.advice(for: name.text, among: system.order) ?? "define it, or correct the name")
    }
    return nil
  }

  private mutating func validateMembers(of union: TypeDefinition) {
    if union.members.isEmpty { reportEmpty(union, "member") }
    var known: Set<String> = []
    for member in union.members {
      if !known.insert(member.text).inserted {
        reports.report(
          member.place, "'\(member.text)' is already a member of '\(union.name)'", advice: "remove one of them")
      } else if let type = knownType(member), type.kind != .object {
        reports.report(
          member.place, "the member '\(member.text)' is not an object type, but \(type.kind.article)",
          advice: "list object types only")
      }
    }
  }

  private mutating func validate(_ directive: DirectiveDefinition) {
    validateName(NameSyntax(text: String(directive.name.text), place: directive.name.place), "directive")
    for argument in directive.arguments {
      validateName(argument.name, "argument")
      validateInput(argument, "argument")
    }
  }

  // MARK: Interfaces

  private mutating func validateInterfaces(of type: TypeDefinition) {
    var known: Set<String> = []
    for name in type.interfaces {
      if name.text == type.name {
        reports.report(name.place, "'\(name.text)' can't implement itself", advice: "remove it here")
      } else if !known.insert(name.text).inserted {
        reports.report(name.place, "'\(type.name)' already implements '\(name.text)'", advice: "remove one of them")
      } else if let interface = knownType(name) {
        guard interface.kind == .interface else {
          reports.report(
            name.place, "'\(name.text)' is not an interface, but \(interface.kind.article)", advice: "remove it here")
          continue
        }
        validateAncestors(of: interface, named: name, in: type)
        for field in interface.fields { validate(type, implements: field, of: interface) }
      }
    }
  }

  /// A type that implements an interface also names those that the interface implements.
  private mutating func validateAncestors(of interface: TypeDefinition, named name: NameSyntax, in type: TypeDefinition)
  {
    let own = Set(type.interfaces.map(\.text))
    for ancestor in interface.interfaces where !own.contains(ancestor.text) {
      if ancestor.text == type.name {
        reports.report(
          name.place, "'\(type.name)' and '\(interface.name)' implement each other", advice: "remove one of the two")
      } else {
        reports.report(
          name.place,
          "'\(type.name)' implements '\(interface.name)', but not '\(ancestor.text)', which that implements",
          advice: "add '& \(ancestor.text)'")
      }
    }
  }

  private mutating func validate(
    _ type: TypeDefinition, implements required: FieldDefinition, of interface: TypeDefinition
  ) {
    guard let field = type.field(required.name.text) else {
      reports.report(
        type.place, "'\(type.name)' lacks the field '\(required.name.text)' of the interface '\(interface.name)'",
        advice: "add '\(required.name.text): \(required.type)'")
      return
    }
    if !system.isSubtype(field.type, of: required.type), isKnown(field.type), isKnown(required.type) {
      reports.report(
        field.typeName.place,
        "the type '\(field.type)' of '\(type.name).\(field.name.text)' is not '\(required.type)', as in the interface "
          + "'\(interface.name)'",
        advice: "use that type, or one that is narrower")
    }
    validateArguments(of: field, in: type, required, interface)
  }

  private mutating func validateArguments(
    of field: FieldDefinition, in type: TypeDefinition, _ required: FieldDefinition, _ interface: TypeDefinition
  ) {
    for argument in required.arguments {
      guard let own = field.arguments.first(where: { $0.name.text == argument.name.text }) else {
        reports.report(
          field.name.place,
          "'\(type.name).\(field.name.text)' lacks the argument '\(argument.name.text)' of the interface "
            + "'\(interface.name)'", advice: "add '\(argument.name.text): \(argument.type)'")
        continue
      }
      if own.type != argument.type {
        reports.report(
          own.typeName.place,
          "the argument '\(own.name.text)' has the type '\(own.type)', and '\(argument.type)' in the interface "
            + "'\(interface.name)'", advice: "use the same type")
      }
    }
    let known = Set(required.arguments.map(\.name.text))
    for own in field.arguments where own.isRequired && !known.contains(own.name.text) {
      reports.report(
        own.name.place,
        "the required argument '\(own.name.text)' is not in the interface '\(interface.name)'",
        advice: "give it a default value, or remove '!' from its type")
    }
  }

  private func isKnown(_ type: TypeReference) -> Bool { system.types[type.name] != nil }

  // MARK: Input objects

  /// Reports input objects that contain themselves in fields that are neither lists nor nullable: no value of theirs is
  /// finite.
  private mutating func validateInputCycles() {
    var finished: Set<String> = []
    for name in system.order where !finished.contains(name) {
      guard let type = system.types[name], type.kind == .input else { continue }
      // A depth-first search with a stack of its own, because chains of types may be long.
      var path = [(type, next: 0)]
      var onPath: Set<String> = [name]
      while let (type, next) = path.last {
        guard next < type.inputs.count else {
          finished.insert(type.name)
          onPath.remove(type.name)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let input = type.inputs[next]
        guard case .nonNull(.named(let target)) = input.type, let inner = system.types[target], inner.kind == .input,
          !finished.contains(target)
        else { continue }
        if onPath.insert(target).inserted {
          path.append((inner, 0))
        } else {
          reports.report(
            input.name.place, "'\(type.name).\(input.name.text)' makes '\(target)' contain itself, without an end",
            advice: "remove '!' from its type")
        }
      }
    }
  }
}

extension DefinitionSyntax {
  var place: Place {
    switch self {
    case .operation(let syntax): syntax.place
    case .fragment(let syntax): syntax.name.place
    case .schema(let syntax): syntax.place
    case .type(let syntax): syntax.name.place
    case .directive(let syntax): syntax.name.place
    }
  }

  /// The place of an operation's type in a `schema` definition.
  fileprivate func place(of kind: OperationSyntax.Kind) -> Place? {
    guard case .schema(let syntax) = self else { return nil }
    return syntax.operations.first { $0.kind == kind }?.place
  }
}
