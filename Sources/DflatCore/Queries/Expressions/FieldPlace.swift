/// Where a struct's or a table's fields are in an entity. Generated code makes the fields of queries of it:
/// `Post.content.as(TextContent.self).text` goes from one place to the next.
///
/// A type has its fields once, for every entity and every way that leads to it, one through itself too.
public struct FieldPlace<Root: Atom>: Hashable, Sendable {
  package let steps: [FieldPath.Step]

  /// The entity itself.
  public init() { steps = [] }

  private init(_ steps: [FieldPath.Step]) { self.steps = steps }

  /// A struct or a table in here.
  public func at(_ step: FieldPath.Step) -> FieldPlace { FieldPlace(steps + [step]) }

  /// A union in here.
  public func union(_ slot: Int, known: [UInt8]) -> UnionPlace<Root> {
    UnionPlace(place: self, slot: slot, known: known)
  }

  /// A value in here.
  ///
  /// - Parameter key: its place in the primary key, which counts for an entity's own fields alone.
  public func field<T>(_ leaf: FieldPath.Leaf, key: Int? = nil) -> FieldExpr<T, Root> {
    FieldExpr(FieldPath(steps, leaf), key: steps.isEmpty ? key : nil)
  }
}

/// Where a union is in an entity.
public struct UnionPlace<Root: Atom>: Hashable, Sendable {
  let place: FieldPlace<Root>
  /// Of the value.
  let slot: Int
  let known: [UInt8]

  /// The number of the stored member.
  public var kind: FieldExpr<Int32, Root> { place.field(.kind(slot, known: known)) }

  /// Whether the stored member has this number.
  public func isKind(_ kind: UInt8) -> EqualToExpr<FieldExpr<Int32, Root>, ValueExpr<Int32, Root>, Root> {
    self.kind == Int32(kind)
  }

  /// A member that is a table.
  public func table(_ kind: UInt8) -> FieldPlace<Root> { place.at(.union(slot, kind: kind)) }

  /// A member that is a struct.
  public func structure(_ kind: UInt8) -> FieldPlace<Root> { place.at(.unionStructure(slot, kind: kind)) }

  /// A member that is a string.
  public func string(_ kind: UInt8) -> FieldExpr<String, Root> { place.field(.unionString(slot, kind: kind)) }
}
