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
    for type in schema.typeIDs {
      let path = schema.path(of: type)
      typePaths.insert(path)
      for count in path.indices { members[Array(path[..<count]), default: []].insert(path[count]) }
    }
    for (index, table) in schema.tables.enumerated() where table.isEntity {
      let path = schema.path(of: .table(index))
      for suffix in RootEmitter.suffixes {
        members[Array(path.dropLast()), default: []].insert(path[path.count - 1] + suffix)
      }
    }
    indexReach = IndexReach(schema)
    let byFile = Dictionary(grouping: schema.typeIDs, by: file)
    types = schema.files.indices.map { (byFile[$0] ?? []).sorted(by: isInOrder) }
  }

  /// Returns true if a namespace, or the top level for `[]`, has a type or namespace with that name, which hides
  /// others.
  func contains(_ name: String, in scope: [String]) -> Bool { members[scope]?.contains(name) ?? false }

  func name(_ type: TypeID) -> QualifiedName { schema.header(of: type).name }

  func file(_ type: TypeID) -> Int { schema.header(of: type).file }

  func location(_ type: TypeID) -> SourceLocation { schema.header(of: type).declaration.location }

  private func isInOrder(_ type: TypeID, _ other: TypeID) -> Bool {
    let (first, second) = (location(type), location(other))
    return (first.line, first.column) < (second.line, second.column)
  }
}
