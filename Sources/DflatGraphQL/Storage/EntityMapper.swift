import DflatSchema

/// Derives the stored schema of an entity from the fields that operations select.
///
/// Objects of the entity are stored once; other objects refer to them by their keys. Objects of other types are stored as
/// values of the objects that have them.
struct EntityMapper {
  private let system: TypeSystem
  private let selected: SelectedFields
  private let membership: EntityMembership
  private let scalars: [String: StoredScalar]
  private let entity: EntityOptions
  private var schema: StoredSchema
  private(set) var problems: [MappingProblem] = []
  /// The types whose definitions have been written, or wait for it.
  private var known: Set<String> = []
  private var waiting: [TypeDefinition] = []

  /// Returns the schema of an entity without numbers, and the problems of its types.
  static func map(
    _ entity: EntityOptions, of membership: EntityMembership, in documents: GraphQLDocuments,
    selecting selected: SelectedFields, scalars: [String: StoredScalar]
  ) -> (schema: StoredSchema, problems: [MappingProblem]) {
    var mapper = EntityMapper(entity, membership, documents.system, selected, scalars)
    mapper.run()
    return (mapper.schema, mapper.problems)
  }

  private init(
    _ entity: EntityOptions, _ membership: EntityMembership, _ system: TypeSystem, _ selected: SelectedFields,
    _ scalars: [String: StoredScalar]
  ) {
    self.system = system
    self.selected = selected
    self.membership = membership
    self.entity = entity
    self.scalars = scalars
    schema = StoredSchema(entity: entity.name)
  }

  private mutating func run() {
    guard let type = system[entity.name] else { return }
    mapRoot(type)
    while let type = waiting.popLast() { map(type) }
    // In the order of names, so that the order of operations doesn't matter.
    schema.tables.sort { ($0.name == entity.name ? 1 : 0, $0.name) < ($1.name == entity.name ? 1 : 0, $1.name) }
    schema.unions.sort { $0.name < $1.name }
    schema.enums.sort { $0.name < $1.name }
  }

  // MARK: The root

  private mutating func mapRoot(_ type: TypeDefinition) {
    var root = StoredTable(name: entity.name, documentation: Self.lines(type.description))
    let objects = system.objects(of: type).compactMap { system[$0] }
    root.fields.append(key(of: type.field(entity.key) ?? objects.first?.field(entity.key)))
    if type.kind == .object {
      root.fields += fields(of: type, merging: [type], except: [entity.key])
      checkIndexes(of: root)
      schema.tables.append(root)
      return
    }
    // The fields of the interface are in the root, those of its objects in tables of their own.
    let common = type.kind == .interface ? fields(of: type, merging: [type] + objects, except: [entity.key]) : []
    root.fields += common
    let union = freeName("Subtype")
    let subtype = subtypeName(of: [type] + objects)
    reportAliases(subtype, of: [type] + objects)
    root.fields.append(StoredField(name: subtype, type: .union(union)))
    let names = Set(common.map(\.name) + [entity.key])
    for object in objects {
      known.insert(object.name)
      schema.tables.append(
        StoredTable(
          name: typeName(object.name), documentation: Self.lines(object.description),
          fields: fields(of: object, merging: [object], except: names)))
    }
    addUnion(union, objects.map { member($0.name, typeName($0.name)) }, at: type)
    checkIndexes(of: root)
    schema.tables.append(root)
  }

  /// Reports fields whose aliases are the name under which the type of an object is stored.
  private mutating func reportAliases(_ subtype: String, of types: [TypeDefinition]) {
    let names = types.flatMap { [$0.name] + $0.interfaces.map(\.text) }
    for field in selected.fields(of: names).fields where field.storedName == subtype {
      problems.append(
        MappingProblem(
          field.syntax.place, "this field would be stored as '\(subtype)', which is the type of the object",
          advice: "give it another alias"))
    }
  }

  private mutating func checkIndexes(of root: StoredTable) {
    for name in entity.indexed.sorted() {
      guard let field = root.fields.first(where: { $0.name == name }) else {
        problems.append(
          MappingProblem(
            nil, "the indexed field '\(entity.name).\(name)' is not stored",
            advice: Spelling.advice(for: name, among: root.fields.map(\.name)) ?? "select it in an operation"))
        continue
      }
      switch field.type {
      case .scalar, .string, .enumeration: break
      default:
        problems.append(
          MappingProblem(
            nil, "the field '\(entity.name).\(name)' can't have an index", advice: "index a scalar or an enum"))
      }
    }
  }

  private func key(of field: FieldDefinition?) -> StoredField {
    StoredField(
      name: entity.key, type: Self.keyType(field), documentation: Self.lines(field?.description), isPrimary: true)
  }

  private static func keyType(_ field: FieldDefinition?) -> StoredType {
    field?.type.name == "Int" ? .scalar(.int) : .string
  }

  // MARK: Values

  private mutating func map(_ type: TypeDefinition) {
    switch type.kind {
    case .enumeration: mapEnum(type)
    case .object:
      schema.tables.append(
        StoredTable(
          name: typeName(type.name), documentation: Self.lines(type.description),
          fields: fields(of: type, merging: [type], except: [])))
    default: mapAbstract(type)
    }
  }

  private mutating func mapEnum(_ type: TypeDefinition) {
    var definition = StoredEnum(
      name: typeName(type.name), graphQLName: type.name, documentation: Self.lines(type.description))
    var unknown = "Unknown"
    let names = Set(type.values.map { SwiftNames.caseName($0.name.text).lowercased() })
    while names.contains(unknown.lowercased()) { unknown += "Value" }
    definition.values.append(
      StoredEnum.Value(name: unknown, documentation: ["A value that the schema didn't have yet."], number: 0))
    definition.values += type.values.map {
      StoredEnum.Value(name: $0.name.text, graphQLName: $0.name.text, documentation: Self.lines($0.description))
    }
    schema.enums.append(definition)
  }

  /// Maps an interface or a union to a table with a union of its objects.
  private mutating func mapAbstract(_ type: TypeDefinition) {
    var members: [StoredUnion.Member] = []
    for object in system.objects(of: type).compactMap({ system[$0] }) {
      if let entity = membership.entity(ofObject: object.name) {
        let name = referenceTable(of: entity)
        // All objects of an entity are one member, which has their key.
        if !members.contains(where: { $0.table == name }) {
          members.append(member(entity.name, name))
        }
      } else {
        need(object)
        members.append(member(object.name, typeName(object.name)))
      }
    }
    var table = StoredTable(name: typeName(type.name), documentation: Self.lines(type.description))
    // An interface without objects has no values yet.
    if !members.isEmpty {
      let union = freeName(type.name + "Subtype")
      addUnion(union, members, at: type)
      table.fields.append(StoredField(name: "subtype", type: .union(union)))
    }
    schema.tables.append(table)
  }

  private func member(_ name: String, _ table: String) -> StoredUnion.Member {
    StoredUnion.Member(name: name, graphQLName: name, table: table)
  }

  private mutating func addUnion(_ name: String, _ members: [StoredUnion.Member], at type: TypeDefinition) {
    if members.count > 255 {
      problems.append(
        MappingProblem(
          type.place, "'\(type.name)' has \(members.count) object types, and a union can have 255",
          advice: "generate entities of narrower types"))
    }
    schema.unions.append(StoredUnion(name: name, members: members))
  }

  /// Returns the name of a table with the key of an entity's object.
  private mutating func referenceTable(of entity: EntityOptions) -> String {
    let name = freeName(entity.name + "Reference")
    if known.insert(name).inserted {
      let type = system[entity.name]
      let object = type.flatMap { system.objects(of: $0).first }.flatMap { system[$0] }
      schema.tables.append(
        StoredTable(
          name: name, documentation: ["The key of an object of the entity \(entity.name)."],
          fields: [StoredField(name: entity.key, type: Self.keyType(object?.field(entity.key)))]))
    }
    return name
  }

  // MARK: Fields

  /// Returns the stored fields of a type that are selected from it or from other types.
  private mutating func fields(
    of type: TypeDefinition, merging types: [TypeDefinition], except: Set<String>
  ) -> [StoredField] {
    var names: [String] = []
    for type in types {
      for name in [type.name] + type.interfaces.map(\.text) where !names.contains(name) { names.append(name) }
    }
    let (fields, conflicts) = selected.fields(of: names)
    for (first, second) in conflicts where type.field(first.syntax.name.text) != nil { report(first, second) }
    for field in fields where field.storedName == entity.key && field.syntax.name.text != entity.key {
      problems.append(
        MappingProblem(
          field.syntax.place, "this field would be stored as '\(entity.key)', which is the key",
          advice: "give it another alias"))
    }
    return fields.compactMap { field in
      guard !except.contains(field.storedName), let definition = type.field(field.syntax.name.text) else { return nil }
      return StoredField(
        name: field.storedName, type: storedType(definition.type), documentation: Self.lines(definition.description),
        isIndexed: type.name == entity.name && entity.indexed.contains(field.storedName))
    }
  }

  private mutating func report(_ first: SelectedFields.Field, _ second: SelectedFields.Field) {
    problems.append(
      MappingProblem(
        max(first.syntax.place, second.syntax.place),
        "this field is selected with other arguments elsewhere, and both would be stored as '\(first.storedName)'",
        advice: "give one of them an alias, which becomes its name in the store"))
  }

  private mutating func storedType(_ type: TypeReference) -> StoredType {
    switch type.nullable {
    case .list(let element):
      let inner = storedType(element)
      if case .vector = inner { return .vector(.table(listTable(of: inner, element))) }
      return .vector(inner)
    case .named(let name): return storedType(named: name)
    case .nonNull(let inner): return storedType(inner)
    }
  }

  private mutating func storedType(named name: String) -> StoredType {
    if let builtIn = StoredScalar.builtIn[name] { return builtIn.type }
    guard let type = system[name] else { return .string }
    switch type.kind {
    case .scalar: return (scalars[name] ?? .string).type
    case .enumeration:
      need(type)
      return .enumeration(typeName(name))
    default:
      if let entity = membership.entity(of: type, in: system) {
        return Self.keyType(system.objects(of: type).first.flatMap { system[$0] }?.field(entity.key))
      }
      need(type)
      return .table(typeName(name))
    }
  }

  /// Returns the name of a table with a list, as an element of another list.
  private mutating func listTable(of type: StoredType, _ element: TypeReference) -> String {
    var name = element.name
    var depth = element.nullable
    while case .list(let inner) = depth {
      name = "ListOf" + name
      depth = inner.nullable
    }
    name = freeName(name)
    if known.insert(name).inserted {
      schema.tables.append(
        StoredTable(
          name: name, documentation: ["A list in a list."], fields: [StoredField(name: "items", type: type)]))
    }
    return name
  }

  private mutating func need(_ type: TypeDefinition) { if known.insert(type.name).inserted { waiting.append(type) } }

  // MARK: Names

  /// Returns the name of a type of the GraphQL schema. Names that mean scalars in FlatBuffers are extended.
  private func typeName(_ name: String) -> String { Self.typeName(name, in: system) }

  static func typeName(_ name: String, in system: TypeSystem) -> String {
    isScalarName(name) ? freeName(name + "_", in: system) : name
  }

  static func isScalarName(_ name: String) -> Bool { name == "string" || ScalarType(rawValue: name) != nil }

  private func freeName(_ name: String) -> String { Self.freeName(name, in: system) }

  /// Returns a name that no type of the GraphQL schema has.
  private static func freeName(_ name: String, in system: TypeSystem) -> String {
    var name = name
    while system[name] != nil { name += "_" }
    return name
  }

  /// Returns a name for the union that no field of the types has.
  private func subtypeName(of types: [TypeDefinition]) -> String {
    var name = "subtype"
    while types.contains(where: { $0.field(name) != nil }) { name += "_" }
    return name
  }

  static func lines(_ description: String?) -> [String] {
    guard let description else { return [] }
    return description.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }
}

extension Place: Comparable {
  static func < (first: Place, second: Place) -> Bool { (first.file, first.offset) < (second.file, second.offset) }
}
