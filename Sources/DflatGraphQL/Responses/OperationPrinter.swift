import DflatSchema
import DflatSupport

/// Writes an operation for the server: with the fragments that it uses, and the fields that storing needs.
struct OperationPrinter {
  private let documents: GraphQLDocuments
  private let added: AddedFields
  /// The fields whose values need `__typename`.
  private let typeNamed: Set<ObjectIdentifier>
  private var lines: [String] = []
  /// The fragments that are written or wait for it, in the order of their first use.
  private var used: [String] = []

  /// Returns the lines of the document.
  static func print(
    _ operation: OperationSyntax, of documents: GraphQLDocuments, adding added: AddedFields,
    typeNamed: Set<ObjectIdentifier>
  ) -> [String] {
    var printer = OperationPrinter(documents: documents, added: added, typeNamed: typeNamed)
    printer.write(operation)
    var next = 0
    while next < printer.used.count {
      if let fragment = documents.fragments[printer.used[next]] { printer.write(fragment) }
      next += 1
    }
    return printer.lines
  }

  private init(documents: GraphQLDocuments, added: AddedFields, typeNamed: Set<ObjectIdentifier>) {
    self.documents = documents
    self.added = added
    self.typeNamed = typeNamed
  }

  private mutating func line(_ depth: Int, _ text: String) {
    lines.append(String(repeating: "  ", count: depth) + text)
  }

  private mutating func write(_ operation: OperationSyntax) {
    var head = operation.kind.rawValue
    if let name = operation.name { head += " " + name.text }
    if !operation.variables.isEmpty {
      let variables = operation.variables.map { variable in
        "$\(variable.name.text): \(TypeReference(variable.type))"
          + (variable.defaultValue.map { " = \(Self.text($0))" } ?? "") + Self.text(variable.directives)
      }
      head += "(\(variables.joined(separator: ", ")))"
    }
    line(0, head + Self.text(operation.directives) + " {")
    write(operation.selections, of: documents.system.root(operation.kind), depth: 1)
    line(0, "}")
  }

  private mutating func write(_ fragment: FragmentSyntax) {
    line(0, "fragment \(fragment.name.text) on \(fragment.condition.text)\(Self.text(fragment.directives)) {")
    write(fragment.selections, of: documents.system[fragment.condition.text], depth: 1)
    line(0, "}")
  }

  private mutating func write(_ selections: [SelectionSyntax], of type: TypeDefinition?, depth: Int) {
    for selection in selections {
      switch selection {
      case .field(let field): write(field, of: type, depth: depth)
      case .inline(let inline):
        let condition = inline.condition.map { " on \($0.text)" } ?? ""
        line(depth, "...\(condition)\(Self.text(inline.directives)) {")
        let inner = inline.condition.map { documents.system[$0.text] } ?? type
        write(inline.selections, of: inner, depth: depth + 1)
        line(depth, "}")
      case .spread(let spread):
        line(depth, "...\(spread.name.text)\(Self.text(spread.directives))")
        if !used.contains(spread.name.text) { used.append(spread.name.text) }
      }
    }
  }

  /// Writes what storing needs of a field's value.
  private mutating func add(to field: FieldSyntax, of type: TypeDefinition, depth: Int) {
    for addition in added.additions(for: type, withTypeName: typeNamed.contains(ObjectIdentifier(field))) {
      switch addition {
      case .typeName: add("__typename", as: added.typeName, to: field.selections, depth)
      case .key(let entity): add(entity.key, as: added.key(of: entity), to: field.selections, depth)
      case .keyOfObject(let entity, let object):
        let key = added.key(of: entity)
        line(depth, "... on \(object) { \(key == entity.key ? key : "\(key): \(entity.key)") }")
      }
    }
  }

  private mutating func add(_ field: String, as name: String, to selections: [SelectionSyntax], _ depth: Int) {
    let isThere = selections.contains { selection in
      if case .field(let field) = selection { field.responseName == name && field.directives.isEmpty } else { false }
    }
    if !isThere { line(depth, name == field ? name : "\(name): \(field)") }
  }

  private mutating func write(_ field: FieldSyntax, of type: TypeDefinition?, depth: Int) {
    var text = field.alias.map { "\($0.text): " } ?? ""
    text += field.name.text + Self.text(field.arguments) + Self.text(field.directives)
    guard !field.selections.isEmpty else { return line(depth, text) }
    line(depth, text + " {")
    let definition = type.flatMap { documents.system.field(field.name.text, of: $0) }
    let inner = definition.flatMap { documents.system[$0.type.name] }
    if let inner { add(to: field, of: inner, depth: depth + 1) }
    write(field.selections, of: inner, depth: depth + 1)
    line(depth, "}")
  }

  // MARK: Values

  private static func text(_ directives: [DirectiveSyntax]) -> String {
    directives.map { " @\($0.name.text)\(text($0.arguments))" }.joined()
  }

  private static func text(_ arguments: [ArgumentSyntax]) -> String {
    arguments.isEmpty ? "" : "(\(list(arguments)))"
  }

  private static func list(_ arguments: [ArgumentSyntax]) -> String {
    arguments.map { "\($0.name.text): \(text($0.value))" }.joined(separator: ", ")
  }

  private static func text(_ value: ValueSyntax) -> String {
    switch value.kind {
    case .variable(let name): "$" + name
    case .integer(let digits), .float(let digits): digits
    case .string(let text): quoted(text)
    case .boolean(let value): value ? "true" : "false"
    case .null: "null"
    case .enumeration(let name): name
    case .list(let elements): "[\(elements.map(text).joined(separator: ", "))]"
    case .object(let fields): "{\(list(fields))}"
    }
  }

  /// Returns a text as a string of GraphQL: JSON has the same escapes.
  private static func quoted(_ text: String) -> String {
    var result = ""
    result.appendJSON(text)
    return result
  }
}
