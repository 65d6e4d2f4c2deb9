/// An `enum`.
public struct EnumDefinition: Sendable {
  public var name: QualifiedName
  /// By its place in `Schema.files`.
  public var file: Int
  public var declaration: Declaration
  /// An integer type.
  public var base: ScalarType
  /// With `bit_flags` the values are masks, one bit each.
  public var isBitFlags: Bool
  /// At least one, each number once.
  public var values: [Value]

  public struct Value: Sendable {
    public var name: String
    /// The stored number; with `bit_flags` the mask, not the bit's position.
    public var number: Int128
    public var declaration: Declaration
  }
}

/// A `union`.
public struct UnionDefinition: Sendable {
  public var name: QualifiedName
  public var file: Int
  public var declaration: Declaration
  /// Without `NONE`.
  public var members: [Member]

  public struct Member: Sendable {
    /// What the schema calls it: the name before the colon, or the type's own name without its namespace.
    public var name: String
    public var type: MemberType
    /// 1…255, the stored kind.
    public var kind: UInt8
    public var declaration: Declaration
    /// What flatc's JSON calls it, where that is not its name: a type that the schema names with its namespace has that in
    /// its name, with underscores (`Sample_Weapon`).
    public var jsonName: String?
  }

  public enum MemberType: Hashable, Sendable {
    case table(Int)
    case structure(Int)
    case string
  }
}

/// A fixed `struct`.
public struct StructDefinition: Sendable {
  public var name: QualifiedName
  public var file: Int
  public var declaration: Declaration
  public var fields: [Field]
  /// Bytes, padding included.
  public var size: Int
  public var alignment: Int
  /// The `v` attribute.
  public var version: String?

  public struct Field: Sendable {
    public var name: String
    public var type: FieldType
    /// Bytes from the struct's beginning.
    public var offset: Int
    public var isDeprecated: Bool
    public var declaration: Declaration
    /// `indexed` or `unique`.
    public var isIndexed = false
    public var isUnique = false
  }

  public enum FieldType: Hashable, Sendable {
    case element(ElementType)
    /// `[float:3]`
    case array(ElementType, count: Int)
  }

  public enum ElementType: Hashable, Sendable {
    case scalar(ScalarType)
    case enumeration(Int)
    case structure(Int)
  }
}

/// A `table`.
public struct TableDefinition: Sendable {
  public var name: QualifiedName
  public var file: Int
  public var declaration: Declaration
  /// In the order of declaration; deprecated ones too.
  public var fields: [Field]
  /// Its file's `root_type`.
  public var isRoot: Bool
  /// The `v` attribute.
  public var version: String?
  /// `original_order`: fields are written in the order of declaration, not by size.
  public var keepsOriginalOrder: Bool

  public struct Field: Sendable {
    public var name: String
    public var type: FieldType
    /// Where the vtable has it, in bytes: 4 for the first field, 2 more for each. A union's, or a vector of unions', kinds
    /// are at `slot - 2`.
    public var slot: Int
    public var defaultValue: DefaultValue
    public var isDeprecated: Bool
    /// `required`, and `primary` on strings.
    public var isRequired: Bool
    public var isPrimary: Bool
    /// `indexed` or `unique`.
    public var isIndexed: Bool
    public var isUnique: Bool
    /// `shared`: equal strings are written once.
    public var isShared: Bool
    /// `nested_flatbuffer`: the root of the buffer in this `[ubyte]`, by its place in `Schema.tables`.
    public var nestedTable: Int?
    /// `force_align` on a vector.
    public var forcedAlignment: Int?
    public var declaration: Declaration
  }

  public enum FieldType: Hashable, Sendable {
    case element(ElementType)
    case vector(ElementType)
  }

  public enum ElementType: Hashable, Sendable {
    case scalar(ScalarType)
    case enumeration(Int)
    case string
    case structure(Int)
    case table(Int)
    case union(Int)
  }

  /// What stands for a field that the bytes don't have.
  public enum DefaultValue: Hashable, Sendable {
    /// Nothing was written; not for scalars and enums, which have 0, or the enum's first value.
    case none
    /// `= null`: an optional scalar or enum.
    case null
    /// Of integers, `bool` (0 or 1) and enums.
    case integer(Int128)
    /// Of `float` and `double`; nan and the infinities too.
    case floating(Double)
    case string(String)
  }
}
