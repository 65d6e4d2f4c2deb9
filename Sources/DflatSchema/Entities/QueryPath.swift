/// A path from a root to a field of a query that is written as text.
package struct QueryPath {
  /// The end of the path.
  package enum Target {
    case value(StoredLeaf)
    case vector(slot: Int, StoredElement)
  }

  package let steps: [StoredPath.Step]
  package let target: Target
  /// The field's position in the primary key.
  package let keyPosition: Int?
  /// The names of an enum's values, or of a union's members, with their numbers.
  package let constants: [(name: String, number: Int128)]
}

extension Schema {
  /// Returns the path to a field of a root, by names in the schema or by those of its fields in Swift:
  /// `equipped.Orb.name`. A union's name alone means its kind, as does `_type` after it.
  package func queryPath(_ names: [String], ofRoot root: Int) throws(FieldPathProblem) -> QueryPath {
    var walk = FieldPathWalk(from: root, in: self, for: .query)
    try walk.enter(names)
    let target = try walk.end()
    let key = tables[root].fields.filter { $0.isPrimary && !$0.isDeprecated }
    return QueryPath(
      steps: walk.steps, target: target,
      keyPosition: names.count == 1 ? key.firstIndex { $0.name == walk.names[0] } : nil,
      constants: constants(of: walk.type))
  }

  private func constants(of type: TypeID?) -> [(name: String, number: Int128)] {
    switch type {
    case .enumeration(let index)?: enums[index].values.map { ($0.name, $0.number) }
    case .union(let index)?: unions[index].members.map { ($0.name, Int128($0.kind)) }
    case .structure?, .table?, nil: []
    }
  }
}
