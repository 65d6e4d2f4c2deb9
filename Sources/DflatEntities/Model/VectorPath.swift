/// The location of a vector in an entity's bytes. An absent vector is empty.
package struct VectorPath: Hashable, Sendable {
  /// The steps from the root to the vector's table; empty for a field of the root.
  package let steps: [FieldPath.Step]
  package let slot: Int
  package let element: VectorElement

  package init(_ steps: [FieldPath.Step] = [], slot: Int, of element: VectorElement) {
    self.steps = steps
    self.slot = slot
    self.element = element
  }
}

/// The elements of a vector that queries can look into. Generated code creates them.
public enum VectorElement: Hashable, Sendable {
  /// Scalars.
  case scalar(QueryValueType)
  /// Enums. Values that are not in `known`, which is ascending, read as the default.
  case enumeration(QueryValueType, default: QueryValue, known: [QueryValue])
  /// Strings.
  case string
}
