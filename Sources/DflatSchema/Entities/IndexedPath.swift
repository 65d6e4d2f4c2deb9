/// A path from a root to a field of an index over several fields.
struct IndexedPath {
  /// The names in the schema, of fields and of unions' members: `equipped.Orb.name`.
  let names: [String]
  /// The name in queries, after the type's name: `equipped.as(Orb.self).name`.
  let queryName: String
  let path: StoredPath
}

extension Schema {
  /// Returns the path to a field of a root, by names in the schema or by those of its fields in Swift. A union's name
  /// alone means its kind, as does `_type` after it.
  func indexedPath(_ names: [String], ofRoot root: Int) throws(FieldPathProblem) -> IndexedPath {
    var walk = FieldPathWalk(from: root, in: self, for: .index)
    try walk.enter(names)
    guard case .value(let leaf) = try walk.end() else { throw walk.problem("is a vector") }
    return IndexedPath(
      names: walk.names, queryName: walk.queryName, path: StoredPath(steps: walk.steps, leaf: leaf))
  }
}
