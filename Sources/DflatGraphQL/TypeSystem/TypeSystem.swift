/// The types and directives of a schema (section 3 of the specification), built-in ones included.
struct TypeSystem: Sendable {
  /// The types by their names.
  var types: [String: TypeDefinition] = [:]
  /// The names of types in the order of their definitions.
  var order: [String] = []
  var directives: [String: DirectiveDefinition] = [:]
  /// The names of the types of operations.
  var roots: [OperationSyntax.Kind: String] = [:]
  /// The object types of each interface and union, in the order of their definitions.
  private(set) var possibleTypes: [String: [String]] = [:]

  /// Returns a type, or nil if it isn't defined.
  subscript(_ name: String) -> TypeDefinition? { types[name] }

  func root(_ kind: OperationSyntax.Kind) -> TypeDefinition? { roots[kind].flatMap { types[$0] } }

  /// Computes the object types of interfaces and unions, once all types are complete.
  mutating func findPossibleTypes() {
    possibleTypes = [:]
    for name in order {
      guard let type = types[name] else { continue }
      switch type.kind {
      case .object:
        for interface in type.interfaces { possibleTypes[interface.text, default: []].append(name) }
      case .union:
        possibleTypes[name] = type.members.map(\.text)
      default: break
      }
    }
  }

  /// Returns the names of the object types that a value of a composite type can have.
  func objects(of type: TypeDefinition) -> [String] {
    type.kind == .object ? [type.name] : possibleTypes[type.name] ?? []
  }

  /// Returns true if a value can have both types.
  func overlap(_ first: TypeDefinition, _ second: TypeDefinition) -> Bool {
    if first.name == second.name { return true }
    return !Set(objects(of: first)).isDisjoint(with: objects(of: second))
  }

  /// Returns true if every value of the first type is one of the second.
  func isSubtype(_ type: TypeReference, of other: TypeReference) -> Bool {
    switch (type, other) {
    case (.nonNull(let type), .nonNull(let other)), (.list(let type), .list(let other)):
      return isSubtype(type, of: other)
    case (.nonNull(let type), _): return isSubtype(type, of: other)
    case (.named(let name), .named(let otherName)):
      if name == otherName { return true }
      guard let type = types[name], let other = types[otherName] else { return false }
      switch other.kind {
      case .interface: return type.isObjectOrInterface && type.interfaces.contains { $0.text == otherName }
      case .union: return type.kind == .object && other.members.contains { $0.text == name }
      default: return false
      }
    default: return false
    }
  }

  /// Returns the field of a type with a name, also one of the fields that every type or the query type has.
  func field(_ name: String, of type: TypeDefinition) -> FieldDefinition? {
    if let field = type.field(name) { return field }
    switch name {
    case "__typename" where type.isComposite: return BuiltIns.typeName
    case "__schema" where type.name == roots[.query]: return BuiltIns.schema
    case "__type" where type.name == roots[.query]: return BuiltIns.type
    default: return nil
    }
  }
}

/// A type of a schema, with its extensions.
struct TypeDefinition: Sendable {
  let kind: TypeSyntax.Kind
  let name: String
  let place: Place
  /// True for types that no document defines.
  let isBuiltIn: Bool
  let description: String?
  /// The interfaces of an object or an interface.
  var interfaces: [NameSyntax] = []
  var fields: [FieldDefinition] = []
  /// The members of a union.
  var members: [NameSyntax] = []
  /// The values of an enum.
  var values: [EnumValueSyntax] = []
  /// The fields of an input object.
  var inputs: [InputValue] = []
  private var fieldIndices: [String: Int] = [:]

  init(kind: TypeSyntax.Kind, name: String, place: Place, isBuiltIn: Bool, description: String?) {
    self.kind = kind
    self.name = name
    self.place = place
    self.isBuiltIn = isBuiltIn
    self.description = description
  }

  /// True for types whose values have fields.
  var isComposite: Bool { isObjectOrInterface || kind == .union }

  var isObjectOrInterface: Bool { kind == .object || kind == .interface }

  /// True for types without fields.
  var isLeaf: Bool { kind == .scalar || kind == .enumeration }

  var isInput: Bool { isLeaf || kind == .input }

  func field(_ name: String) -> FieldDefinition? { fieldIndices[name].map { fields[$0] } }

  /// Adds a field, or returns the one with the same name that it already has.
  mutating func add(_ field: FieldDefinition) -> FieldDefinition? {
    if let index = fieldIndices[field.name.text] { return fields[index] }
    fieldIndices[field.name.text] = fields.count
    fields.append(field)
    return nil
  }
}

struct FieldDefinition: Sendable {
  let name: NameSyntax
  let description: String?
  let arguments: [InputValue]
  let type: TypeReference
  let typeName: NameSyntax
}

/// The definition of an argument or of an input object's field.
struct InputValue: Sendable {
  let name: NameSyntax
  let type: TypeReference
  let typeName: NameSyntax
  let defaultValue: ValueSyntax?
  let isDeprecated: Bool

  init(_ syntax: InputValueSyntax) {
    name = syntax.name
    type = TypeReference(syntax.type)
    typeName = syntax.type.name
    defaultValue = syntax.defaultValue
    isDeprecated = syntax.directives.contains { $0.name.text == "deprecated" }
  }

  /// True if a caller has to give a value.
  var isRequired: Bool { type.isNonNull && defaultValue == nil }
}

struct DirectiveDefinition: Sendable {
  let name: NameSyntax
  let isBuiltIn: Bool
  let arguments: [InputValue]
  let isRepeatable: Bool
  let locations: Set<DirectiveLocation>

  init(_ syntax: DirectiveDefinitionSyntax, isBuiltIn: Bool) {
    name = syntax.name
    self.isBuiltIn = isBuiltIn
    arguments = syntax.arguments.map(InputValue.init)
    isRepeatable = syntax.isRepeatable
    locations = Set(syntax.locations.compactMap { DirectiveLocation(rawValue: $0.text) })
  }
}
