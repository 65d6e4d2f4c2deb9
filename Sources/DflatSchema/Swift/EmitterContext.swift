/// The data that the emitters of a schema share: the path of each type in Swift, and the recursive types.
struct EmitterContext {
  let schema: Schema
  let recursion: Recursion
  let indexReach: IndexReach
  /// The types of each file, in the order of declaration.
  private(set) var types: [[TypeID]] = []
  /// The Swift names of the types and namespaces directly inside each namespace, or inside a type with its path.
  private var members: [[String]: Set<String>] = [:]
  /// The paths of the types. A type with the path of a namespace serves as the namespace.
  private(set) var typePaths: Set<[String]> = []

  init(_ schema: Schema) {
    self.schema = schema
    recursion = Recursion(schema)
    let names =
      schema.enums.map(\.name) + schema.unions.map(\.name) + schema.structs.map(\.name) + schema.tables.map(\.name)
    for name in names {
      let path = Self.path(name)
      typePaths.insert(path)
      for count in path.indices { members[Array(path[..<count]), default: []].insert(path[count]) }
    }
    for table in schema.tables where table.isRoot {
      let path = Self.path(table.name)
      for suffix in RootEmitter.suffixes {
        members[Array(path.dropLast()), default: []].insert(path[path.count - 1] + suffix)
      }
    }
    indexReach = IndexReach(schema)
    let all: [TypeID] =
      schema.enums.indices.map { .enumeration($0) } + schema.unions.indices.map { .union($0) }
      + schema.structs.indices.map { .structure($0) } + schema.tables.indices.map { .table($0) }
    let byFile = Dictionary(grouping: all, by: file)
    types = schema.files.indices.map { (byFile[$0] ?? []).sorted(by: isInOrder) }
  }

  /// Returns true if a namespace, or the top level for `[]`, has a type or namespace with that name, which hides
  /// others.
  func contains(_ name: String, in scope: [String]) -> Bool { members[scope]?.contains(name) ?? false }

  func name(_ type: TypeID) -> QualifiedName {
    switch type {
    case .enumeration(let index): schema.enums[index].name
    case .union(let index): schema.unions[index].name
    case .structure(let index): schema.structs[index].name
    case .table(let index): schema.tables[index].name
    }
  }

  func file(_ type: TypeID) -> Int {
    switch type {
    case .enumeration(let index): schema.enums[index].file
    case .union(let index): schema.unions[index].file
    case .structure(let index): schema.structs[index].file
    case .table(let index): schema.tables[index].file
    }
  }

  func location(_ type: TypeID) -> SourceLocation {
    switch type {
    case .enumeration(let index): schema.enums[index].declaration.location
    case .union(let index): schema.unions[index].declaration.location
    case .structure(let index): schema.structs[index].declaration.location
    case .table(let index): schema.tables[index].declaration.location
    }
  }

  private func isInOrder(_ type: TypeID, _ other: TypeID) -> Bool {
    let (first, second) = (location(type), location(other))
    return (first.line, first.column) < (second.line, second.column)
  }

  /// Returns a type's Swift name with its namespace, not escaped. Namespaces keep the schema's spelling.
  static func path(_ name: QualifiedName) -> [String] { name.namespace + [SwiftNames.typeName(name.name)] }
}
