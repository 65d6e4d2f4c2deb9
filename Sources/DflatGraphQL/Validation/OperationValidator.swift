/// Checks operations and fragments by the rules in section 5 of the specification.
///
/// The documents of several files count as one: a fragment of one file may be used in the others.
struct OperationValidator {
  let system: TypeSystem
  var directives: DirectiveValidator
  /// The fragments by their names.
  private(set) var fragments: [String: FragmentSyntax] = [:]
  private(set) var operations: [OperationSyntax] = []
  /// True if errors have hidden fragments. Unknown fragments may be their consequence and are not reported.
  let hasLostDefinitions: Bool

  /// The fragments that the definition that is being checked uses.
  private var spreads: [NameSyntax] = []
  /// The spreads and variables of each fragment that has been checked.
  var fragmentUses: [String: DefinitionUses] = [:]

  var reports: Reports {
    get { directives.values.reports }
    set { directives.values.reports = newValue }
  }

  /// Reports all errors in documents of operations.
  static func validate(_ documents: [DocumentSyntax], _ system: TypeSystem, _ reports: inout Reports) {
    var validator = OperationValidator(
      system: system,
      directives: DirectiveValidator(
        values: ValueValidator(system: system, reports: reports), hasLostDefinitions: false),
      hasLostDefinitions: documents.contains(where: \.hasLostDefinitions))
    validator.run(documents.flatMap(\.definitions))
    reports = validator.reports
  }

  private init(system: TypeSystem, directives: DirectiveValidator, hasLostDefinitions: Bool) {
    self.system = system
    self.directives = directives
    self.hasLostDefinitions = hasLostDefinitions
  }

  private mutating func run(_ definitions: [DefinitionSyntax]) {
    declare(definitions)
    for case .fragment(let fragment) in definitions {
      let uses = uses { $0.validate(fragment) }
      // A repeated name keeps the first fragment.
      if fragmentUses[fragment.name.text] == nil { fragmentUses[fragment.name.text] = uses }
    }
    let cycles = reportFragmentCycles()
    var usedFragments: Set<String> = []
    for operation in operations {
      let uses = uses { $0.validate(operation) }
      let reached = fragmentsReached(from: uses)
      usedFragments.formUnion(reached)
      validateVariables(of: operation, uses, in: reached)
    }
    reportUnusedFragments(usedFragments)
    // Fields of fragments that contain themselves can't be compared.
    guard cycles.isEmpty else { return }
    var merging = FieldMerging(system: system, fragments: fragments, reports: reports)
    // This includes the fragments: each is used by an operation, or has been reported.
    for operation in operations { merging.check(operation.selections, of: system.root(operation.kind)) }
    reports = merging.reports
  }

  /// Returns what a definition uses, after checking it.
  private mutating func uses(_ validate: (inout OperationValidator) -> Void) -> DefinitionUses {
    spreads = []
    directives.values.variables = []
    validate(&self)
    return DefinitionUses(spreads: spreads, variables: directives.values.variables)
  }

  // MARK: Definitions

  private mutating func declare(_ definitions: [DefinitionSyntax]) {
    var names: [String: NameSyntax] = [:]
    for definition in definitions {
      switch definition {
      case .operation(let operation):
        operations.append(operation)
        guard let name = operation.name else { continue }
        if let first = names[name.text] {
          reportRepeated(name, first, "operation")
        } else {
          names[name.text] = name
        }
      case .fragment(let fragment):
        if let first = fragments[fragment.name.text] {
          reportRepeated(fragment.name, first.name, "fragment")
        } else {
          fragments[fragment.name.text] = fragment
        }
      default:
        reports.report(
          definition.place, "a file of operations can't define types",
          advice: "move this definition into the schema")
      }
    }
    if operations.count > 1 {
      for operation in operations where operation.name == nil {
        reports.report(
          operation.place, "an operation without a name has to be the only one", advice: "give it a name")
      }
    }
  }

  private mutating func reportRepeated(_ name: NameSyntax, _ first: NameSyntax, _ what: String) {
    reports.report(
      name.place, "the \(what) '\(name.text)' is already defined in \(reports.line(of: first.place, from: name.place))",
      advice: "rename one of them")
  }

  private mutating func validate(_ operation: OperationSyntax) {
    let location: DirectiveLocation =
      switch operation.kind {
      case .query: .query
      case .mutation: .mutation
      case .subscription: .subscription
      }
    directives.validate(operation.directives, at: location)
    for variable in operation.variables { validate(variable) }
    guard let root = system.root(operation.kind) else {
      reports.report(
        operation.place, "the schema has no \(operation.kind.rawValue) type", advice: "remove this operation")
      return
    }
    validate(operation.selections, of: root)
    if operation.kind == .subscription { validateSubscription(operation) }
  }

  private mutating func validate(_ fragment: FragmentSyntax) {
    directives.validate(fragment.directives, at: .fragmentDefinition)
    let type = compositeType(fragment.condition)
    validate(fragment.selections, of: type)
  }

  /// Returns the type of a fragment, or nil after reporting that it has no fields or isn't defined.
  private mutating func compositeType(_ name: NameSyntax) -> TypeDefinition? {
    guard let type = system[name.text] else {
      reportUnknownType(name)
      return nil
    }
    guard type.isComposite else {
      reports.report(
        name.place, "a fragment can't have the type '\(name.text)', which is \(type.kind.article)",
        advice: "name an object type, an interface or a union")
      return nil
    }
    return type
  }

  mutating func reportUnknownType(_ name: NameSyntax) {
    reports.report(
      name.place, "the type '\(name.text)' is not defined",
      advice: Spelling.advice(for: name.text, among: system.order) ?? "name a type of the schema")
  }

  // MARK: Selections

  /// - Parameter parent: The type that has the fields; nil if it is unknown, and then only names are checked.
  private mutating func validate(_ selections: [SelectionSyntax], of parent: TypeDefinition?) {
    for selection in selections {
      switch selection {
      case .field(let field): validate(field, of: parent)
      case .inline(let inline): validate(inline, in: parent)
      case .spread(let spread): validate(spread, in: parent)
      }
    }
  }

  private mutating func validate(_ field: FieldSyntax, of parent: TypeDefinition?) {
    directives.validate(field.directives, at: .field)
    let definition = parent.flatMap { system.field(field.name.text, of: $0) }
    if let parent, definition == nil { reportUnknownField(field, of: parent) }
    // The arguments, and the variables in them.
    if let definition {
      let arguments = ArgumentCheck(
        owner: "the field '\(field.name.text)'", place: field.name.place, definitions: definition.arguments)
      arguments.check(field.arguments, &reports)
    } else {
      ArgumentCheck.checkUnique(field.arguments, "the argument", &reports)
    }
    directives.values.validate(field.arguments, definition?.arguments ?? [])
    // The fields of its value.
    let type = definition.flatMap { system[$0.type.name] }
    if let type, let definition { validateBraces(of: field, definition, type) }
    validate(field.selections, of: type.flatMap { $0.isComposite ? $0 : nil })
  }

  private mutating func reportUnknownField(_ field: FieldSyntax, of parent: TypeDefinition) {
    let name = field.name.text
    // The field of a possible type needs a fragment.
    let owner = system.objects(of: parent).first { system[$0]?.field(name) != nil }
    let advice =
      owner.map { "select it in '... on \($0) { \(name) }'" }
      ?? Spelling.advice(for: name, among: parent.fields.map(\.name.text)) ?? "select one of its fields"
    reports.report(field.name.place, "'\(parent.name)' has no field '\(name)'", advice: advice)
  }

  private mutating func validateBraces(of field: FieldSyntax, _ definition: FieldDefinition, _ type: TypeDefinition) {
    if type.isLeaf, !field.selections.isEmpty {
      reports.report(
        field.name.place, "the field '\(field.name.text)' has the type '\(definition.type)', which has no fields",
        advice: "remove the braces")
    } else if type.isComposite, field.selections.isEmpty {
      reports.report(
        field.name.place,
        "the field '\(field.name.text)' has the type '\(definition.type)', and none of its fields is "
          + "selected", advice: "select fields in braces")
    }
  }

  private mutating func validate(_ inline: InlineFragmentSyntax, in parent: TypeDefinition?) {
    directives.validate(inline.directives, at: .inlineFragment)
    guard let condition = inline.condition else {
      validate(inline.selections, of: parent)
      return
    }
    let type = compositeType(condition)
    if let type, let parent, !system.overlap(type, parent) {
      reports.report(
        condition.place, "'\(parent.name)' is never '\(type.name)'", advice: "remove this fragment, or correct its type"
      )
    }
    validate(inline.selections, of: type)
  }

  private mutating func validate(_ spread: SpreadSyntax, in parent: TypeDefinition?) {
    directives.validate(spread.directives, at: .fragmentSpread)
    spreads.append(spread.name)
    guard let fragment = fragments[spread.name.text] else {
      if !hasLostDefinitions {
        reports.report(
          spread.name.place, "the fragment '\(spread.name.text)' is not defined",
          advice: Spelling.advice(for: spread.name.text, among: fragments.keys) ?? "define it, or correct the name")
      }
      return
    }
    guard let parent, let type = system[fragment.condition.text], type.isComposite, !system.overlap(type, parent)
    else { return }
    reports.report(
      spread.name.place, "'\(parent.name)' is never '\(type.name)', the type of the fragment '\(spread.name.text)'",
      advice: "remove this fragment, or correct its type")
  }

  // MARK: Fragments

  /// Returns the names of the fragments that are used directly or by fragments.
  private func fragmentsReached(from uses: DefinitionUses) -> [String] {
    var reached: [String] = []
    var known: Set<String> = []
    var waiting = uses.spreads.map(\.text)
    while let name = waiting.popLast() {
      guard let uses = fragmentUses[name], known.insert(name).inserted else { continue }
      reached.append(name)
      waiting += uses.spreads.map(\.text)
    }
    return reached
  }

  private mutating func reportUnusedFragments(_ used: Set<String>) {
    for fragment in fragments.values where !used.contains(fragment.name.text) && !hasLostDefinitions {
      reports.report(
        fragment.name.place, "the fragment '\(fragment.name.text)' is used by no operation",
        advice: "use it, or remove it")
    }
  }

  /// Reports fragments that contain themselves, and returns their names.
  private mutating func reportFragmentCycles() -> Set<String> {
    var cyclic: Set<String> = []
    var finished: Set<String> = []
    for name in fragments.keys.sorted() where !finished.contains(name) {
      // A depth-first search with a stack of its own, because chains of fragments may be long.
      var path = [(name, next: 0)]
      var onPath: Set<String> = [name]
      while let (name, next) = path.last {
        let spreads = fragmentUses[name]?.spreads ?? []
        guard next < spreads.count else {
          finished.insert(name)
          onPath.remove(name)
          path.removeLast()
          continue
        }
        path[path.count - 1].next += 1
        let spread = spreads[next]
        guard fragments[spread.text] != nil, !finished.contains(spread.text) else { continue }
        if onPath.insert(spread.text).inserted {
          path.append((spread.text, 0))
        } else {
          cyclic.insert(spread.text)
          reports.report(
            spread.place, "the fragment '\(spread.text)' contains itself", advice: "remove this use of it")
        }
      }
    }
    return cyclic
  }

  // MARK: Subscriptions

  /// A subscription selects one field, and not one that introspection adds.
  private mutating func validateSubscription(_ operation: OperationSyntax) {
    var fields: [String: FieldSyntax] = [:]
    var order: [FieldSyntax] = []
    var known: Set<String> = []
    var waiting = operation.selections
    while !waiting.isEmpty {
      let selection = waiting.removeFirst()
      switch selection {
      case .field(let field):
        if fields.updateValue(field, forKey: field.responseName) == nil { order.append(field) }
      case .inline(let inline): waiting = inline.selections + waiting
      case .spread(let spread):
        if known.insert(spread.name.text).inserted, let fragment = fragments[spread.name.text] {
          waiting = fragment.selections + waiting
        }
      }
    }
    for field in order.dropFirst() {
      reports.report(
        field.place, "a subscription selects one field, and '\(field.responseName)' is another",
        advice: "write a subscription for each field")
    }
    for field in order where field.name.text.hasPrefix("__") {
      reports.report(
        field.place, "a subscription can't select '\(field.name.text)' alone", advice: "select a field of the schema")
    }
  }
}

/// The fragments and variables that an operation or a fragment uses itself.
struct DefinitionUses {
  let spreads: [NameSyntax]
  let variables: [VariableUse]
}
