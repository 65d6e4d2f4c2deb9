/// The fields that operations select, by the types that they are selected from.
struct SelectedFields {
  /// A field of objects under the name that it is stored with.
  struct Field {
    let storedName: String
    let syntax: FieldSyntax
  }

  /// The fields by their types and stored names.
  private var fields: [String: [String: Field]] = [:]
  /// Pairs of fields of a type that have one name in the store.
  private var conflicts: [String: [(first: Field, second: Field)]] = [:]

  /// Collects the fields of operations and of the fragments that they use.
  init(_ documents: GraphQLDocuments) {
    for operation in documents.operations {
      if let root = documents.system.root(operation.kind) { collect(operation.selections, of: root, documents) }
    }
    for fragment in documents.fragments.values.sorted(by: { $0.name.text < $1.name.text }) {
      if let type = documents.system[fragment.condition.text] { collect(fragment.selections, of: type, documents) }
    }
  }

  /// Returns the name in the store: an alias, if the field has arguments, or else the field's own name. An alias separates
  /// the values of one field with different arguments.
  static func storedName(of syntax: FieldSyntax) -> String {
    syntax.arguments.isEmpty ? syntax.name.text : syntax.responseName
  }

  private mutating func collect(_ selections: [SelectionSyntax], of type: TypeDefinition, _ documents: GraphQLDocuments)
  {
    for selection in selections {
      switch selection {
      case .field(let syntax):
        guard let definition = documents.system.field(syntax.name.text, of: type),
          !syntax.name.text.hasPrefix("__")
        else { continue }
        add(Field(storedName: Self.storedName(of: syntax), syntax: syntax), to: type.name)
        if let inner = documents.system[definition.type.name], inner.isComposite {
          collect(syntax.selections, of: inner, documents)
        }
      case .inline(let inline):
        if let inner = inline.condition.map({ documents.system[$0.text] }) ?? type {
          collect(inline.selections, of: inner, documents)
        }
      // Each fragment is collected once, as it doesn't matter where it is used.
      case .spread: break
      }
    }
  }

  private mutating func add(_ field: Field, to type: String) {
    guard let first = fields[type]?[field.storedName] else {
      fields[type, default: [:]][field.storedName] = field
      return
    }
    if !Self.isSame(first, field) { conflicts[type, default: []].append((first, field)) }
  }

  /// Returns true if two fields of a type are one field with the same arguments.
  private static func isSame(_ first: Field, _ second: Field) -> Bool {
    first.syntax.name.text == second.syntax.name.text && first.syntax.hasSameArguments(as: second.syntax)
  }

  /// Returns the fields that are selected from some types, in the order of their names, and pairs of fields that can't
  /// be stored under one name.
  func fields(of types: [String]) -> (fields: [Field], conflicts: [(first: Field, second: Field)]) {
    var all: [String: Field] = [:]
    var conflicts: [(first: Field, second: Field)] = []
    for name in types {
      conflicts += self.conflicts[name] ?? []
      for field in (fields[name] ?? [:]).values {
        guard let first = all[field.storedName] else {
          all[field.storedName] = field
          continue
        }
        if !Self.isSame(first, field) { conflicts.append((first, field)) }
      }
    }
    return (all.values.sorted { $0.storedName < $1.storedName }, conflicts)
  }
}
