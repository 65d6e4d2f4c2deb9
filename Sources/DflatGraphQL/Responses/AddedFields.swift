/// The fields that storing needs and operations may lack: the keys of entities, and the names of types.
struct AddedFields {
  private let system: TypeSystem
  private let membership: EntityMembership
  /// The key in responses for the name of an object's type.
  let typeName: String
  /// The keys in responses for the keys of entities, by the entities' names.
  private var keys: [String: String] = [:]

  init(_ documents: GraphQLDocuments, _ membership: EntityMembership) {
    system = documents.system
    self.membership = membership
    // What a name means in the operations: true for the field itself, without arguments.
    var names: [String: Bool] = [:]
    for field in documents.allFields {
      let isPlain = field.name.text == field.responseName && field.arguments.isEmpty
      names[field.responseName] = isPlain && names[field.responseName] ?? true
    }
    func free(_ name: String) -> String { names[name] ?? true ? name : Self.unused(name + "_", names) }
    typeName = free("__typename")
    var types: [String: TypeReference] = [:]
    for entity in membership.entities {
      let type = Self.keyDefinition(of: entity, in: system)?.type
      // Fields with one name in a response have one type.
      if let type, types[entity.key, default: type] == type {
        types[entity.key] = type
        keys[entity.name] = free(entity.key)
      } else {
        keys[entity.name] = Self.unused(entity.key + "_" + entity.name, names)
      }
    }
  }

  private static func unused(_ name: String, _ names: [String: Bool]) -> String {
    var name = name
    while names[name] != nil { name += "_" }
    return name
  }

  /// Returns the field with an entity's key: of its own type, or else of its first object type.
  static func keyDefinition(of entity: EntityOptions, in system: TypeSystem) -> FieldDefinition? {
    guard let type = system[entity.name] else { return nil }
    return type.field(entity.key) ?? system.objects(of: type).lazy.compactMap { system[$0]?.field(entity.key) }.first
  }

  /// Returns the name of an entity's key in responses.
  func key(of entity: EntityOptions) -> String { keys[entity.name] ?? entity.key }

  /// A selection to add to those of a field.
  enum Addition {
    case typeName
    case key(EntityOptions)
    /// The key of an object type, where the field's type has no field for it.
    case keyOfObject(EntityOptions, object: String)
  }

  /// Returns what to add to the selections of a field with a type.
  func additions(for type: TypeDefinition) -> [Addition] {
    var additions: [Addition] = []
    if type.kind != .object { additions.append(.typeName) }
    if let entity = membership.entity(of: type, in: system), type.field(entity.key) != nil {
      return additions + [.key(entity)]
    }
    for object in system.objects(of: type) {
      if let entity = membership.entity(ofObject: object) {
        additions.append(.keyOfObject(entity, object: object))
      }
    }
    return additions
  }
}

extension GraphQLDocuments {
  /// The fields of all operations and fragments.
  fileprivate var allFields: [FieldSyntax] {
    var fields: [FieldSyntax] = []
    func collect(_ selections: [SelectionSyntax]) {
      for selection in selections {
        switch selection {
        case .field(let field):
          fields.append(field)
          collect(field.selections)
        case .inline(let inline): collect(inline.selections)
        case .spread: break
        }
      }
    }
    for operation in operations { collect(operation.selections) }
    for fragment in fragments.values { collect(fragment.selections) }
    return fields
  }
}
