import DflatSupport

/// The location of a field's value in an entity's bytes, with its default. The store reads it without decoding the
/// object. Generated code creates paths.
///
///     FieldPath(.string(4))                                 // a field of the root
///     FieldPath([.union(26, kind: 2)], .string(4))          // a field of a table in a union
///     FieldPath([.structure(4), .inner(8)], .scalar(4, .float, default: .real(0)))
public struct FieldPath: Hashable, Sendable {
  /// A step into a nested value. Slots are byte offsets in the vtable; offsets count from the start of the struct.
  public enum Step: Hashable, Sendable {
    /// A nested table.
    case table(Int)
    /// A fixed struct in a table.
    case structure(Int)
    /// A fixed struct in a struct, at an offset.
    case inner(Int)
    /// A table as a union's member. `Int` is the value's slot; the kind's slot is 2 less.
    case union(Int, kind: UInt8)
    /// A struct as a union's member.
    case unionStructure(Int, kind: UInt8)
  }

  /// The value at the end of the path.
  public enum Leaf: Hashable, Sendable {
    /// A scalar at a slot, or at an offset if the last step leads to a struct.
    case scalar(Int, QueryValueType, default: QueryValue)
    /// An enum. Values that are not in `known`, which is ascending, read as the default.
    case enumeration(Int, QueryValueType, default: QueryValue, known: [QueryValue])
    /// A string.
    case string(Int, default: String? = nil)
    /// The kind of a union's member, as an `int32`; null for none, and for kinds that are not in `known`.
    case kind(Int, known: [UInt8])
    /// A string as a union's member.
    case unionString(Int, kind: UInt8)
  }

  /// The steps from the root to the value's table or struct; empty for a field of the root.
  public let steps: [Step]
  /// The value at the end of the steps.
  public let leaf: Leaf

  /// Creates the path of a field of the root.
  public init(_ leaf: Leaf) { self.init([], leaf) }

  /// Creates the path of a nested field.
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

  /// The path's name in the file, `f26__u2__f4` for example. It is part of the index's name.
  public var name: String {
    var parts: [StoredNames.PathPart] = steps.flatMap { step -> [StoredNames.PathPart] in
      switch step {
      case .table(let slot), .structure(let slot), .inner(let slot): [.field(slot)]
      case .union(let slot, let kind), .unionStructure(let slot, let kind): [.field(slot), .member(kind: kind)]
      }
    }
    switch leaf {
    case .scalar(let slot, _, _), .enumeration(let slot, _, _, _), .string(let slot, _): parts.append(.field(slot))
    case .kind(let slot, _): parts += [.field(slot), .kind]
    case .unionString(let slot, let kind): parts += [.field(slot), .member(kind: kind)]
    }
    return StoredNames.path(parts)
  }
}

extension FieldPath.Leaf {
  /// Compares real defaults by their bits, so that NaN equals NaN, and texts by their bytes.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.scalar(let slot, let type, .real(let value)), .scalar(let otherSlot, let otherType, .real(let other))):
      slot == otherSlot && type == otherType && value.bitPattern == other.bitPattern
    case (.scalar(let slot, let type, let value), .scalar(let otherSlot, let otherType, let other)):
      slot == otherSlot && type == otherType && value == other
    case (
      .enumeration(let slot, let type, let value, let known),
      .enumeration(let otherSlot, let otherType, let other, let otherKnown)
    ): slot == otherSlot && type == otherType && value == other && known == otherKnown
    case (.string(let slot, let value), .string(let otherSlot, let other)):
      slot == otherSlot && value.map { ByteComparedString($0) } == other.map { ByteComparedString($0) }
    case (.kind(let slot, let known), .kind(let otherSlot, let otherKnown)): slot == otherSlot && known == otherKnown
    case (.unionString(let slot, let kind), .unionString(let otherSlot, let otherKind)):
      slot == otherSlot && kind == otherKind
    default: false
    }
  }
}
