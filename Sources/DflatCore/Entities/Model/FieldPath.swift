/// Where a value is in the bytes of an entity, and what stands there when it is absent: what is read without decoding the
/// object. Generated code makes them.
///
///     FieldPath(.string(4))                                 // a field of the root
///     FieldPath([.union(26, kind: 2)], .string(4))          // of a table in a union
///     FieldPath([.structure(4), .inner(8)], .scalar(4, .float, default: .real(0)))
public struct FieldPath: Hashable, Sendable {
  /// A way inward. Slots are byte offsets in the vtable; offsets count from the struct's beginning.
  public enum Step: Hashable, Sendable {
    /// A nested table.
    case table(Int)
    /// A fixed struct in a table.
    case structure(Int)
    /// A fixed struct in a struct, at an offset.
    case inner(Int)
    /// A union's member that is a table. The slot is that of the value; the kind's is 2 less.
    case union(Int, kind: UInt8)
    /// A union's member that is a struct.
    case unionStructure(Int, kind: UInt8)
  }

  /// The value itself.
  public enum Leaf: Hashable, Sendable {
    /// A scalar at a slot, or at an offset if the last step led to a struct.
    case scalar(Int, QueryValueType, default: QueryValue)
    /// An enum: what it doesn't know counts as the default. `known` is in ascending order.
    case enumeration(Int, QueryValueType, default: QueryValue, known: [QueryValue])
    /// Text.
    case string(Int, default: String? = nil)
    /// The number of a union's member, as an `int32`; null for none and for those that the schema doesn't know.
    case kind(Int, known: [UInt8])
    /// A union's member that is a string.
    case unionString(Int, kind: UInt8)
  }

  /// The ways inward, from the root; none for a field of its own.
  public let steps: [Step]
  /// The value at the end of them.
  public let leaf: Leaf

  /// A field of the root.
  public init(_ leaf: Leaf) { self.init([], leaf) }

  /// A field further in.
  public init(_ steps: [Step], _ leaf: Leaf) {
    self.steps = steps
    self.leaf = leaf
  }

  /// The type of the values.
  public var type: QueryValueType {
    switch leaf {
    case .scalar(_, let type, _), .enumeration(_, let type, _, _): type
    case .string, .unionString: .string
    case .kind: .int32
    }
  }

  /// Its name in the file: `f26__u2__f4`; the name of an index is made of it.
  public var name: String {
    var parts = steps.flatMap { step in
      switch step {
      case .table(let place), .structure(let place), .inner(let place): ["f\(place)"]
      case .union(let slot, let kind), .unionStructure(let slot, let kind): ["f\(slot)", "u\(kind)"]
      }
    }
    switch leaf {
    case .scalar(let place, _, _), .enumeration(let place, _, _, _), .string(let place, _): parts.append("f\(place)")
    case .kind(let slot, _): parts += ["f\(slot)", "type"]
    case .unionString(let slot, let kind): parts += ["f\(slot)", "u\(kind)"]
    }
    return parts.joined(separator: "__")
  }
}

extension FieldPath.Leaf {
  /// A default that is NaN is the same default.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.scalar(let place, let type, .real(let value)), .scalar(let otherPlace, let otherType, .real(let other))):
      place == otherPlace && type == otherType && value.bitPattern == other.bitPattern
    case (.scalar(let place, let type, let value), .scalar(let otherPlace, let otherType, let other)):
      place == otherPlace && type == otherType && value == other
    case (
      .enumeration(let place, let type, let value, let known),
      .enumeration(let otherPlace, let otherType, let other, let otherKnown)
    ): place == otherPlace && type == otherType && value == other && known == otherKnown
    case (.string(let slot, let value), .string(let otherSlot, let other)): slot == otherSlot && value == other
    case (.kind(let slot, let known), .kind(let otherSlot, let otherKnown)): slot == otherSlot && known == otherKnown
    case (.unionString(let slot, let kind), .unionString(let otherSlot, let otherKind)):
      slot == otherSlot && kind == otherKind
    default: false
    }
  }
}
