/// Builds the type system of documents: merges definitions with their extensions, and reports names that are defined
/// twice or not at all.
struct TypeSystemBuilder {
  var system = TypeSystem()
  var reports: Reports
  /// True if errors have hidden definitions. Unknown names may be their consequence and are not reported.
  let hasLostDefinitions: Bool
  private var schemaDefinition: SchemaSyntax?
  private var rootPlaces: [OperationSyntax.Kind: Place] = [:]

  /// Returns the type system of documents that define one, with all errors.
  static func build(_ documents: [DocumentSyntax], _ reports: inout Reports) -> TypeSystem {
    var builder = TypeSystemBuilder(
      reports: reports, hasLostDefinitions: documents.contains(where: \.hasLostDefinitions))
    builder.build(documents.flatMap(\.definitions))
    var validator = TypeSystemValidator(builder)
    validator.validate(documents.flatMap(\.definitions))
    reports = validator.reports
    return validator.system
  }

  private init(reports: Reports, hasLostDefinitions: Bool) {
    self.reports = reports
    self.hasLostDefinitions = hasLostDefinitions
  }

  private mutating func build(_ definitions: [DefinitionSyntax]) {
    for definition in BuiltIns.definitions { declare(definition, isBuiltIn: true) }
    for definition in definitions { declare(definition, isBuiltIn: false) }
    // Extensions may stand before the definitions that they extend.
    for case .type(let syntax) in definitions where syntax.isExtension { extend(syntax) }
    for case .schema(let syntax) in definitions { declareSchema(syntax) }
    useDefaultRoots()
    system.findPossibleTypes()
  }

  // MARK: Types

  private mutating func declare(_ definition: DefinitionSyntax, isBuiltIn: Bool) {
    switch definition {
    case .type(let syntax) where !syntax.isExtension: declareType(syntax, isBuiltIn: isBuiltIn)
    case .directive(let syntax): declareDirective(syntax, isBuiltIn: isBuiltIn)
    case .operation(let operation): reportExecutable(operation.name?.text ?? operation.kind.rawValue, operation.place)
    case .fragment(let fragment): reportExecutable(fragment.name.text, fragment.name.place)
    default: break
    }
  }

  private mutating func reportExecutable(_ name: String, _ place: Place) {
    reports.report(
      place, "the schema can't contain the operation or fragment '\(name)'",
      advice: "move it into a file of operations")
  }

  private mutating func declareType(_ syntax: TypeSyntax, isBuiltIn: Bool) {
    let name = syntax.name.text
    if let first = system.types[name] {
      // Schemas may repeat the built-in scalars.
      if first.isBuiltIn, first.kind == .scalar, syntax.kind == .scalar { return }
      let place = first.isBuiltIn ? "by GraphQL" : "in \(reports.line(of: first.place, from: syntax.name.place))"
      reports.report(
        syntax.name.place, "the type '\(name)' is already defined \(place)", advice: "rename one of them, or extend it")
      return
    }
    var type = TypeDefinition(
      kind: syntax.kind, name: name, place: syntax.name.place, isBuiltIn: isBuiltIn, description: syntax.description)
    add(syntax, to: &type)
    system.types[name] = type
    system.order.append(name)
  }

  private mutating func extend(_ syntax: TypeSyntax) {
    let name = syntax.name.text
    guard var type = system.types[name], !type.isBuiltIn || type.kind == .scalar else {
      if !hasLostDefinitions {
        reports.report(
          syntax.name.place, "the extended type '\(name)' is not defined", advice: "define it, or correct the name")
      }
      return
    }
    guard type.kind == syntax.kind else {
      reports.report(
        syntax.name.place, "'\(name)' is not \(syntax.kind.article), but \(type.kind.article)",
        advice: "extend it as what it is")
      return
    }
    add(syntax, to: &type)
    system.types[name] = type
  }

  /// Adds what a definition or an extension lists to a type, and reports what the type already has.
  private mutating func add(_ syntax: TypeSyntax, to type: inout TypeDefinition) {
    type.interfaces += syntax.interfaces
    type.members += syntax.members
    for field in syntax.fields {
      let definition = FieldDefinition(
        name: field.name, description: field.description, arguments: field.arguments.map(InputValue.init),
        type: TypeReference(field.type), typeName: field.type.name)
      reportRepeated(field.arguments.map(\.name), "the argument")
      if let first = type.add(definition) { reportRepeated(field.name, first.name, "the field") }
    }
    add(syntax.values, to: &type.values, "the value", \.name)
    add(syntax.inputs.map(InputValue.init), to: &type.inputs, "the field", \.name)
  }

  private mutating func add<Element>(
    _ elements: [Element], to list: inout [Element], _ what: String, _ name: (Element) -> NameSyntax
  ) {
    var known = Dictionary(list.map { (name($0).text, name($0)) }) { first, _ in first }
    for element in elements {
      if let first = known[name(element).text] {
        reportRepeated(name(element), first, what)
      } else {
        known[name(element).text] = name(element)
        list.append(element)
      }
    }
  }

  private mutating func reportRepeated(_ names: [NameSyntax], _ what: String) {
    var known: [String: NameSyntax] = [:]
    for name in names {
      if let first = known[name.text] { reportRepeated(name, first, what) } else { known[name.text] = name }
    }
  }

  private mutating func reportRepeated(_ name: NameSyntax, _ first: NameSyntax, _ what: String) {
    reports.report(
      name.place, "\(what) '\(name.text)' is already defined in \(reports.line(of: first.place, from: name.place))",
      advice: "remove or rename one of them")
  }

  // MARK: Directives

  private mutating func declareDirective(_ syntax: DirectiveDefinitionSyntax, isBuiltIn: Bool) {
    reportRepeated(syntax.arguments.map(\.name), "the argument")
    if let first = system.directives[syntax.name.text], !first.isBuiltIn {
      reportRepeated(syntax.name, first.name, "the directive")
      return
    }
    // Schemas may repeat the built-in directives, and replace their definitions.
    system.directives[syntax.name.text] = DirectiveDefinition(syntax, isBuiltIn: isBuiltIn)
  }

  // MARK: Operation types

  private mutating func declareSchema(_ syntax: SchemaSyntax) {
    if !syntax.isExtension {
      if let first = schemaDefinition {
        reports.report(
          syntax.place, "the schema is already defined in \(reports.line(of: first.place, from: syntax.place))",
          advice: "extend it with 'extend schema'")
      }
      schemaDefinition = schemaDefinition ?? syntax
    }
    for operation in syntax.operations {
      if let first = rootPlaces[operation.kind] {
        reports.report(
          operation.place,
          "the \(operation.kind.rawValue) type is already given in \(reports.line(of: first, from: operation.place))",
          advice: "give each operation one type")
        continue
      }
      rootPlaces[operation.kind] = operation.place
      guard let type = system.types[operation.type.text] else {
        reportUnknownType(operation.type)
        continue
      }
      if type.kind != .object {
        reports.report(
          operation.type.place, "'\(type.name)' is not an object type, but \(type.kind.article)",
          advice: "give an object type for \(operation.kind.rawValue) operations")
      }
      system.roots[operation.kind] = type.name
    }
  }

  /// Without a `schema` definition, the types with the usual names are those of operations.
  private mutating func useDefaultRoots() {
    guard schemaDefinition == nil else { return }
    for kind in OperationSyntax.Kind.allCases where system.roots[kind] == nil {
      let name = kind.rawValue.prefix(1).uppercased() + kind.rawValue.dropFirst()
      guard let type = system.types[name], rootPlaces[kind] == nil else { continue }
      if type.kind != .object {
        reports.report(
          type.place, "'\(name)' is not an object type, but \(type.kind.article)",
          advice: "write 'type \(name)', or name the types of operations with 'schema { … }'")
      }
      system.roots[kind] = name
    }
  }

  mutating func reportUnknownType(_ name: NameSyntax) {
    guard !hasLostDefinitions else { return }
    reports.report(
      name.place, "the type '\(name.text)' is not defined",
      advice: Spelling.advice(for: name.text, among: system.order) ?? "define it, or correct the name")
  }
}

extension TypeSyntax.Kind {
  /// The kind in a sentence.
  var article: String {
    switch self {
    case .scalar: "a scalar"
    case .object: "an object type"
    case .interface: "an interface"
    case .union: "a union"
    case .enumeration: "an enum"
    case .input: "an input object"
    }
  }
}
