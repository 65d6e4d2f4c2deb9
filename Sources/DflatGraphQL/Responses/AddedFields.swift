/// The fields that are added to operations so that their responses can be stored: the keys of entities, and the names of
/// types.
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
    var names = documents.fieldMeanings
    // Fields with one name in a response are one field with one type.
    func free(_ name: String, _ type: TypeReference, otherwise other: String) -> String {
      let meaning = FieldMeaning(name: name, hasArguments: false, type: type)
      let unique = names[name, default: [meaning]] == [meaning] ? name : Self.unused(other, names)
      names[unique, default: []].insert(meaning)
      return unique
    }
    typeName = free("__typename", BuiltIns.typeName.type, otherwise: "__typename_")
    for entity in membership.entities {
      guard let type = Self.keyDefinition(of: entity, in: system)?.type else { continue }
      keys[entity.name] = free(entity.key, type, otherwise: "\(entity.key)_\(entity.name)")
    }
  }

  /// Returns the name, or one that no field has.
  private static func unused(_ name: String, _ names: [String: Set<FieldMeaning>]) -> String {
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

  /// Returns the names of the entities that object types belong to.
  func entities(of objects: [String]) -> Set<String> {
    Set(objects.compactMap { membership.entity(ofObject: $0)?.name })
  }

  /// A selection to add to those of a field.
  enum Addition {
    case typeName
    case key(EntityOptions)
    /// The key of an object type, where the field's type has no field for it.
    case keyOfObject(EntityOptions, object: String)
  }

  /// Returns the selections to add to those of a field with a type.
  func additions(for type: TypeDefinition, withTypeName: Bool) -> [Addition] {
    var additions: [Addition] = withTypeName ? [.typeName] : []
    if let entity = membership.entity(of: type, in: system), let key = type.field(entity.key),
      key.type == Self.keyDefinition(of: entity, in: system)?.type
    {
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

/// The meaning of a name in a response.
private struct FieldMeaning: Hashable {
  let name: String
  let hasArguments: Bool
  let type: TypeReference
}

extension GraphQLDocuments {
  /// The meanings of names in the responses of all operations.
  fileprivate var fieldMeanings: [String: Set<FieldMeaning>] {
    var meanings: [String: Set<FieldMeaning>] = [:]
    func collect(_ selections: [SelectionSyntax], of type: TypeDefinition?) {
      guard let type else { return }
      for selection in selections {
        switch selection {
        case .field(let field):
          guard let definition = system.field(field.name.text, of: type) else { continue }
          meanings[field.responseName, default: []].insert(
            FieldMeaning(name: field.name.text, hasArguments: !field.arguments.isEmpty, type: definition.type))
          collect(field.selections, of: system[definition.type.name])
        case .inline(let inline):
          collect(inline.selections, of: inline.condition.map { system[$0.text] } ?? type)
        case .spread: break
        }
      }
    }
    for operation in operations { collect(operation.selections, of: system.root(operation.kind)) }
    for fragment in fragments.values { collect(fragment.selections, of: system[fragment.condition.text]) }
    return meanings
  }
}
