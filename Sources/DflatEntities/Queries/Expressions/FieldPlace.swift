/// The location of a struct's or table's fields in an entity. Generated code derives the fields of queries from it:
/// `Post.content.as(TextContent.self).text` goes from one location to the next.
///
/// A type declares its fields once, for all entities and all paths that lead to it, including a path through the type
/// itself.
public struct FieldPlace<Root: Atom>: Hashable, Sendable {
  package let steps: [FieldPath.Step]

  /// Creates the location of an entity's own fields.
  public init() { steps = [] }

  private init(_ steps: [FieldPath.Step]) { self.steps = steps }

  /// Returns the location of a struct or a table within this one.
  public func at(_ step: FieldPath.Step) -> FieldPlace { FieldPlace(steps + [step]) }

  /// Returns the location of a union within this one.
  public func union(_ slot: Int, known: [UInt8]) -> UnionPlace<Root> {
    UnionPlace(place: self, slot: slot, known: known)
  }

  /// Returns a field at this location.
  ///
  /// - Parameters:
  ///   - leaf: The field's slot and type.
  ///   - key: Its position in the primary key; ignored except for an entity's own fields.
  public func field<T>(_ leaf: FieldPath.Leaf, key: Int? = nil) -> FieldExpr<T, Root> {
    FieldExpr(FieldPath(steps, leaf), key: steps.isEmpty ? key : nil)
  }

  /// Returns a vector at this location.
  public func vector<T>(_ slot: Int, of element: VectorElement) -> VectorExpr<T, Root> {
    VectorExpr(VectorPath(steps, slot: slot, of: element))
  }
}

/// The location of a union in an entity.
public struct UnionPlace<Root: Atom>: Hashable, Sendable {
  let place: FieldPlace<Root>
  /// The slot of the union's value.
  let slot: Int
  let known: [UInt8]

  /// The number of the stored member.
  public var kind: FieldExpr<Int32, Root> { place.field(.kind(slot, known: known)) }

  /// Tests if the stored member has this number.
  public func isKind(_ kind: UInt8) -> EqualToExpr<FieldExpr<Int32, Root>, ValueExpr<Int32, Root>, Root> {
    self.kind == Int32(kind)
  }

  /// Returns the location of a member that is a table.
  public func table(_ kind: UInt8) -> FieldPlace<Root> { place.at(.union(slot, kind: kind)) }

  /// Returns the location of a member that is a struct.
  public func structure(_ kind: UInt8) -> FieldPlace<Root> { place.at(.unionStructure(slot, kind: kind)) }

  /// Returns the field of a member that is a string.
  public func string(_ kind: UInt8) -> FieldExpr<String, Root> { place.field(.unionString(slot, kind: kind)) }
}
