import DflatSupport

/// The storage of a root's objects: the table, the fields of the primary key, and the indexes.
package struct EntityLayout {
  /// A field that the store reads without decoding the object.
  package struct Field {
    /// The name in queries, after the type's name; used in messages.
    package let name: String
    package let path: StoredPath
  }

  /// An index over one field or several.
  package struct Index {
    package let fields: [Field]
    package let isUnique: Bool

    /// The name in messages: `author, created`.
    var name: String { fields.map(\.name).joined(separator: ", ") }
    /// The name in the file, which is a part of that of the index's table.
    var storedName: String { StoredNames.indexPath(fields.map(\.path.name)) }
  }

  /// The maximum number of indexes per root. Each is maintained with every write of an object.
  static let maximumIndexes = 1000
  /// The maximum number of searchable fields per root, each a column of the full-text index.
  static let maximumSearchable = 100

  package let table: String
  package let primaryKey: [Field]
  /// The indexes over single fields, then those over several.
  package private(set) var indexes: [Index] = []
  /// The fields of the full-text index.
  package private(set) var searchable: [Field] = []
  /// True if there are more than `maximumSearchable`. Some are then left out.
  private(set) var hasTooManySearchable = false
  /// True if there are more than `maximumIndexes`, or too many paths to search. Some indexes are then left out.
  private(set) var hasTooManyIndexes = false

  /// Creates the layout of a root, by its index in `Schema.tables`.
  package init(_ root: Int, in schema: Schema) { self.init(root, in: schema, IndexReach(schema)) }

  init(_ root: Int, in schema: Schema, _ reach: IndexReach) {
    let definition = schema.tables[root]
    table = TableNames.table(of: definition)
    primaryKey = definition.fields.filter { $0.isPrimary && !$0.isDeprecated }.compactMap { field in
      schema.leaf(of: field).map {
        Field(name: field.declaration.swiftName, path: StoredPath(leaf: $0))
      }
    }
    // Find the fields with indexes, at any depth, and then the indexes over several fields.
    var walk = IndexWalk(schema: schema, reach: reach)
    walk.visit(.table(root))
    let several = definition.indexes.compactMap { index -> Index? in
      // The resolver has checked the paths.
      let paths = index.fields.compactMap { path in
        try? schema.indexedPath(path.split(separator: ".").map(String.init), ofRoot: root)
      }
      guard paths.count == index.fields.count else { return nil }
      return Index(fields: paths.map { Field(name: $0.queryName, path: $0.path) }, isUnique: index.isUnique)
    }
    // Every index costs time in each write, so their number is limited.
    let room = Self.maximumIndexes - walk.indexes.count
    indexes = walk.indexes + several.prefix(room)
    hasTooManyIndexes = walk.isCut || several.count > room
    searchable = walk.searchable
    hasTooManySearchable = walk.hasTooManySearchable
  }
}

/// The types that have indexed or searchable fields, or contain types that do.
struct IndexReach {
  private var types: Set<TypeID> = []
  /// The indexed and searchable fields of tables and structs, and those that lead to such, by their positions in the
  /// type. Many paths may lead to a type with thousands of fields.
  private var fields: [TypeID: [Int]] = [:]

  init(_ schema: Schema) {
    // The types that contain a type directly.
    var holders: [TypeID: [TypeID]] = [:]
    var open: [TypeID] = []
    func add(_ type: TypeID, _ contents: [TypeID], isIndexed: Bool) {
      for content in contents { holders[content, default: []].append(type) }
      if isIndexed { open.append(type) }
    }
    // Collect the types, and begin with those that have indexed fields themselves.
    for (index, table) in schema.tables.enumerated() {
      let fields = table.fields.filter { !$0.isDeprecated }
      let isIndexed = fields.contains { $0.isIndexed || $0.isSearchable }
      add(.table(index), fields.compactMap(\.type.nested), isIndexed: isIndexed)
    }
    for (index, structure) in schema.structs.enumerated() {
      let fields = structure.fields.filter { !$0.isDeprecated }
      add(.structure(index), fields.compactMap(\.type.nested), isIndexed: fields.contains(where: \.isIndexed))
    }
    for (index, union) in schema.unions.enumerated() {
      add(.union(index), union.members.compactMap(\.type.nested), isIndexed: false)
    }
    // Add all types that contain them, directly or not.
    while let type = open.popLast() {
      if types.insert(type).inserted { open += holders[type] ?? [] }
    }
    // Find the fields that matter in each of them.
    for type in types { fields[type] = relevantFields(of: type, in: schema) }
  }

  private func relevantFields(of type: TypeID, in schema: Schema) -> [Int] {
    switch type {
    case .table(let index):
      let fields = schema.tables[index].fields
      return fields.indices.filter { position in
        let field = fields[position]
        guard !field.isDeprecated else { return false }
        return field.isIndexed || field.isSearchable || field.type.nested.map(contains) ?? false
      }
    case .structure(let index):
      let fields = schema.structs[index].fields
      return fields.indices.filter { position in
        let field = fields[position]
        guard !field.isDeprecated else { return false }
        return field.isIndexed || field.type.nested.map(contains) ?? false
      }
    case .enumeration, .union: return []
    }
  }

  func contains(_ type: TypeID) -> Bool { types.contains(type) }

  /// Returns the positions of the fields that an index or a search has, or that lead to such fields.
  func fields(of type: TypeID) -> [Int] { fields[type] ?? [] }
}

/// Follows every path from a root to its indexed and searchable fields. A path ends where it reaches a type for the
/// second time.
private struct IndexWalk {
  let schema: Schema
  let reach: IndexReach
  var indexes: [EntityLayout.Index] = []
  var searchable: [EntityLayout.Field] = []
  var isCut = false
  var hasTooManySearchable = false
  /// The current path.
  private var steps: [StoredPath.Step] = []
  private var names: [String] = []
  private var types: [TypeID] = []
  /// The remaining number of steps into types, also into those that the path has reached before. Recursive types have
  /// many paths with few indexes.
  private var remainingSteps = 200_000

  init(schema: Schema, reach: IndexReach) {
    self.schema = schema
    self.reach = reach
  }

  /// The maximum number of tables and structs in one another in an object: 64 tables, by the limit of the verifier, and
  /// as many structs in the last one. Longer paths lead to nothing, and following them would take too much stack.
  private static let maximumDepth = 64 + StructDefinition.maximumDepth

  mutating func visit(_ type: TypeID) {
    guard reach.contains(type), !isCut else { return }
    remainingSteps -= 1
    guard remainingSteps > 0 else {
      isCut = true
      return
    }
    guard !types.contains(type), types.count < Self.maximumDepth else { return }
    types.append(type)
    defer { types.removeLast() }
    switch type {
    case .table(let index):
      for position in reach.fields(of: type) { visit(schema.tables[index].fields[position]) }
    case .structure(let index):
      for position in reach.fields(of: type) { visit(schema.structs[index].fields[position]) }
    case .enumeration, .union:
      break
    }
  }

  private mutating func visit(_ field: TableDefinition.Field) {
    let name = field.declaration.swiftName
    if field.isIndexed, !(field.isPrimary && steps.isEmpty), let leaf = schema.leaf(of: field) {
      add(name, leaf, isUnique: field.isUnique)
    }
    if field.isSearchable, let leaf = schema.leaf(of: field) {
      if searchable.count < EntityLayout.maximumSearchable {
        searchable.append(self.field(name, leaf))
      } else {
        hasTooManySearchable = true
        remainingSteps -= 1
      }
    }
    switch field.type {
    case .element(.table(let index)): enter(name, .table(slot: field.slot), .table(index))
    case .element(.structure(let index)): enter(name, .structure(slot: field.slot), .structure(index))
    case .element(.union(let index)): visit(schema.unions[index], index, of: field, name)
    default: break
    }
  }

  private mutating func visit(
    _ union: UnionDefinition, _ index: Int, of field: TableDefinition.Field, _ name: String
  ) {
    if field.isIndexed {
      add("\(name)._type", schema.kindLeaf(of: union, slot: field.slot), isUnique: field.isUnique)
    }
    guard reach.contains(.union(index)) else { return }
    for member in union.members where member.type.nested.map(reach.contains) ?? false {
      let label = union.label(of: member, in: schema).map { "\($0): " } ?? ""
      func spelling(_ type: Declaration) -> String { "\(name).as(\(label)\(type.swiftName).self)" }
      switch member.type {
      case .table(let index):
        let step = StoredPath.Step.union(slot: field.slot, kind: member.kind)
        enter(spelling(schema.tables[index].declaration), step, .table(index))
      case .structure(let index):
        let step = StoredPath.Step.unionStructure(slot: field.slot, kind: member.kind)
        enter(spelling(schema.structs[index].declaration), step, .structure(index))
      case .string:
        break
      }
    }
  }

  private mutating func visit(_ field: StructDefinition.Field) {
    let name = field.declaration.swiftName
    if field.isIndexed, let leaf = schema.leaf(of: field) { add(name, leaf, isUnique: field.isUnique) }
    if case .element(.structure(let index)) = field.type {
      enter(name, .inner(offset: field.offset), .structure(index))
    }
  }

  private mutating func enter(_ name: String, _ step: StoredPath.Step, _ type: TypeID) {
    steps.append(step)
    names.append(name)
    visit(type)
    names.removeLast()
    steps.removeLast()
  }

  private mutating func add(_ name: String, _ leaf: StoredLeaf, isUnique: Bool) {
    guard indexes.count < EntityLayout.maximumIndexes else {
      isCut = true
      return
    }
    indexes.append(EntityLayout.Index(fields: [field(name, leaf)], isUnique: isUnique))
  }

  /// Returns a field at the current path.
  private func field(_ name: String, _ leaf: StoredLeaf) -> EntityLayout.Field {
    EntityLayout.Field(
      name: (names + [name]).joined(separator: "."), path: StoredPath(steps: steps, leaf: leaf))
  }
}

extension TableDefinition.FieldType {
  /// The type, if it has fields or members of its own; nil for vectors.
  var nested: TypeID? {
    switch self {
    case .element(.structure(let index)): .structure(index)
    case .element(.table(let index)): .table(index)
    case .element(.union(let index)): .union(index)
    default: nil
    }
  }
}

extension StructDefinition.FieldType {
  /// The inner struct; nil for arrays.
  var nested: TypeID? {
    if case .element(.structure(let index)) = self { .structure(index) } else { nil }
  }
}

extension UnionDefinition.MemberType {
  /// The table or struct.
  var nested: TypeID? {
    switch self {
    case .table(let index): .table(index)
    case .structure(let index): .structure(index)
    case .string: nil
    }
  }
}
