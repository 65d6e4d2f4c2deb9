/// Checks the values of arguments, directives and defaults (section 5.6 of the specification), and collects the variables in
/// them.
struct ValueValidator {
  let system: TypeSystem
  var reports: Reports
  /// The variables of the values checked since the caller has taken them.
  var variables: [VariableUse] = []

  /// Checks the values of arguments that are defined; in the others, only variables are collected.
  mutating func validate(_ arguments: [ArgumentSyntax], _ definitions: [InputValue]) {
    for argument in arguments {
      let definition = definitions.first { $0.name.text == argument.name.text }
      validate(argument.value, as: definition?.type, hasDefault: definition?.hasDefault ?? false)
    }
  }

  /// Checks that a value has a type (sections 5.6 and 3 of the specification).
  ///
  /// - Parameter type: Nil if it is unknown, or if any value may stand there. Only variables are collected then.
  mutating func validate(_ value: ValueSyntax, as type: TypeReference?, hasDefault: Bool = false) {
    if case .variable(let name) = value.kind {
      variables.append(
        VariableUse(name: NameSyntax(text: name, place: value.place), type: type, hasDefault: hasDefault))
      return
    }
    guard let type, let definition = system[type.name], definition.isInput else {
      validateParts(of: value)
      return
    }
    if value.isNull {
      if type.isNonNull { reportValue(value, "null is not a value of the type '\(type)'", definition) }
      return
    }
    if case .list(let element) = type.nullable {
      // A single value counts as a list of one.
      guard case .list(let elements) = value.kind else {
        validate(value, as: element)
        return
      }
      for item in elements { validate(item, as: element) }
      return
    }
    switch definition.kind {
    case .input: validateObject(value, as: definition)
    case .enumeration: validateEnum(value, as: definition)
    default: validateScalar(value, as: definition)
    }
  }

  /// Collects variables in a value of any type.
  private mutating func validateParts(of value: ValueSyntax) {
    switch value.kind {
    case .list(let elements): for element in elements { validate(element, as: nil) }
    case .object(let fields):
      ArgumentCheck.checkUnique(fields, "the field", &reports)
      for field in fields { validate(field.value, as: nil) }
    default: break
    }
  }

  private mutating func validateObject(_ value: ValueSyntax, as type: TypeDefinition) {
    guard case .object(let fields) = value.kind else {
      validateParts(of: value)
      reportValue(value, "this is not an object of the type '\(type.name)'", type)
      return
    }
    ArgumentCheck.checkUnique(fields, "the field", &reports)
    for field in fields {
      guard let input = type.inputs.first(where: { $0.name.text == field.name.text }) else {
        reports.report(
          field.name.place, "the input object '\(type.name)' has no field '\(field.name.text)'",
          advice: Spelling.advice(for: field.name.text, among: type.inputs.map(\.name.text)) ?? "remove it")
        validate(field.value, as: nil)
        continue
      }
      validate(field.value, as: input.type, hasDefault: input.hasDefault)
    }
    let given = Set(fields.map(\.name.text))
    for input in type.inputs where input.isRequired && !given.contains(input.name.text) {
      reports.report(
        value.place, "this object lacks the field '\(input.name.text)' of '\(type.name)'",
        advice: "add '\(input.name.text): …' with a value of the type '\(input.type)'")
    }
  }

  private mutating func validateEnum(_ value: ValueSyntax, as type: TypeDefinition) {
    validateParts(of: value)
    guard case .enumeration(let name) = value.kind else {
      reportValue(value, "this is not a value of the enum '\(type.name)'", type)
      return
    }
    let names = type.values.map(\.name.text)
    guard !names.contains(name) else { return }
    reports.report(
      value.place, "the enum '\(type.name)' has no value '\(name)'",
      advice: Spelling.advice(for: name, among: names) ?? "write one of its values")
  }

  private mutating func validateScalar(_ value: ValueSyntax, as type: TypeDefinition) {
    validateParts(of: value)
    if !type.isBuiltIn || type.accepts(value.kind) { return }
    reportValue(value, "this is not a value of the type '\(type.name)'", type)
  }

  private mutating func reportValue(_ value: ValueSyntax, _ message: String, _ type: TypeDefinition) {
    reports.report(value.place, message, advice: "write \(type.exampleOfValue)")
  }
}

/// A variable where a value is expected.
struct VariableUse {
  let name: NameSyntax
  /// The type that is expected; nil if it is unknown, or if any value may stand there.
  let type: TypeReference?
  /// True if a missing value has a default there.
  let hasDefault: Bool
}

extension InputValue {
  /// True if a missing value has a default that isn't null.
  fileprivate var hasDefault: Bool { defaultValue.map { !$0.isNull } ?? false }
}

extension ValueSyntax {
  var isNull: Bool { if case .null = kind { true } else { false } }
}

extension TypeDefinition {
  /// Returns true if a built-in scalar has a value.
  fileprivate func accepts(_ value: ValueSyntax.Kind) -> Bool {
    switch (name, value) {
    case ("Int", .integer(let digits)): Int32(digits) != nil
    case ("Float", .integer(let digits)), ("Float", .float(let digits)): Double(digits)?.isFinite == true
    case ("String", .string), ("Boolean", .boolean), ("ID", .string), ("ID", .integer): true
    default: false
    }
  }

  /// Examples of values, for advice.
  fileprivate var exampleOfValue: String {
    switch (kind, name) {
    case (.enumeration, _): "one of its values: " + values.prefix(5).map(\.name.text).joined(separator: ", ")
    case (.input, _): "an object, as '{ … }'"
    case (_, "Int"): "a whole number between -2147483648 and 2147483647"
    case (_, "Float"): "a number"
    case (_, "Boolean"): "true or false"
    case (_, "ID"): "a string in double quotes, or a whole number"
    default: "a string in double quotes"
    }
  }
}
