/// The entity to which the objects of each type belong.
struct EntityMembership {
  let entities: [EntityOptions]
  /// The entities of object types.
  private let owners: [String: EntityOptions]

  /// Reports entities that aren't in the schema, lack their keys, or share objects.
  init(_ entities: [EntityOptions], in system: TypeSystem, _ problems: inout [MappingProblem]) {
    var owners: [String: EntityOptions] = [:]
    for entity in entities {
      guard let type = system[entity.name], type.isComposite else {
        problems.append(
          MappingProblem(
            system[entity.name]?.place, "the entity '\(entity.name)' is not a type of the schema that has fields",
            advice: Spelling.advice(for: entity.name, among: system.order) ?? "name an object type or an interface"))
        continue
      }
      let objects = system.objects(of: type)
      if objects.isEmpty {
        problems.append(
          MappingProblem(
            type.place, "no object type implements the entity '\(entity.name)'",
            advice: "leave it out until the schema has one"))
      }
      for name in objects {
        if let other = owners[name] {
          problems.append(
            MappingProblem(
              system[name]?.place, "'\(name)' belongs to the entities '\(other.name)' and '\(entity.name)'",
              advice: "generate only one of them: each object is stored once"))
        }
        owners[name] = entity
        Self.checkKey(of: entity, in: system[name], system, &problems)
      }
      Self.checkKeyTypes(of: entity, in: [type] + objects.compactMap { system[$0] }, &problems)
    }
    self.entities = entities
    self.owners = owners
  }

  private static func checkKey(
    of entity: EntityOptions, in type: TypeDefinition?, _ system: TypeSystem, _ problems: inout [MappingProblem]
  ) {
    guard let type else { return }
    guard let field = type.field(entity.key) else {
      problems.append(
        MappingProblem(
          type.place, "'\(type.name)' of the entity '\(entity.name)' has no field '\(entity.key)'",
          advice: "name the field with the key with --primary-key"))
      return
    }
    if case .named(let name) = field.type.nullable, ["String", "ID", "Int"].contains(name) { return }
    problems.append(
      MappingProblem(
        field.name.place, "the key '\(type.name).\(entity.key)' has the type '\(field.type)'",
        advice: "name a field of the type ID, String or Int"))
  }

  /// Reports keys that differ between the types of an entity: a response can't have both under one name.
  private static func checkKeyTypes(
    of entity: EntityOptions, in types: [TypeDefinition], _ problems: inout [MappingProblem]
  ) {
    let keys = types.compactMap { type in type.field(entity.key).map { (type: type, field: $0) } }
    guard let first = keys.first else { return }
    for key in keys {
      if key.field.type != first.field.type {
        problems.append(
          MappingProblem(
            key.field.name.place,
            "the key '\(key.type.name).\(entity.key)' has the type '\(key.field.type)', and '\(first.type.name)."
              + "\(entity.key)' the type '\(first.field.type)'",
            advice: "generate entities whose objects all have the same type of key"))
      }
      if let argument = key.field.arguments.first(where: \.isRequired) {
        problems.append(
          MappingProblem(
            key.field.name.place,
            "the key '\(key.type.name).\(entity.key)' needs the argument '\(argument.name.text)'",
            advice: "name a field without required arguments"))
      }
    }
  }

  /// Returns the entity that all objects of a type belong to, or nil if they belong to several or none.
  func entity(of type: TypeDefinition, in system: TypeSystem) -> EntityOptions? {
    let objects = system.objects(of: type)
    guard let first = objects.first, let entity = owners[first] else { return nil }
    return objects.allSatisfy { owners[$0] == entity } ? entity : nil
  }

  func entity(ofObject name: String) -> EntityOptions? { owners[name] }

  /// Returns true if every value of a type is an object of an entity, even one of an object type that the schema
  /// doesn't have yet.
  func includes(_ type: TypeDefinition, in entity: EntityOptions, of system: TypeSystem) -> Bool {
    system.isSubtype(.named(type.name), of: .named(entity.name))
  }
}

/// An error in the mapping of a schema to stored objects.
struct MappingProblem {
  /// Nil for the command line.
  let place: Place?
  let message: String
  let advice: String

  init(_ place: Place?, _ message: String, advice: String) {
    self.place = place
    self.message = message
    self.advice = advice
  }
}
