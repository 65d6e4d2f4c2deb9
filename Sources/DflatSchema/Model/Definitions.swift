/// An `enum`.
public struct EnumDefinition: Sendable {
  /// Its name, with its namespace.
  public var name: QualifiedName
  /// By its place in `Schema.files`.
  public var file: Int
  /// Where it is declared, its documentation and its attributes.
  public var declaration: Declaration
  /// An integer type.
  public var base: ScalarType
  /// With `bit_flags` the values are masks, one bit each.
  public var isBitFlags: Bool
  /// At least one, each number once.
  public var values: [Value]

  /// One of the values.
  public struct Value: Sendable {
    /// The name, as the schema spells it.
    public var name: String
    /// The stored number; with `bit_flags` the mask, not the bit's position.
    public var number: Int128
    /// Where it is declared, its documentation and its attributes.
    public var declaration: Declaration
  }
}

/// A `union`.
public struct UnionDefinition: Sendable {
  /// Its name, with its namespace.
  public var name: QualifiedName
  /// By its place in `Schema.files`.
  public var file: Int
  /// Where it is declared, its documentation and its attributes.
  public var declaration: Declaration
  /// Without `NONE`.
  public var members: [Member]

  /// One of the members.
  public struct Member: Sendable {
    /// What the schema calls it: the name before the colon, or the type's own name without its namespace.
    public var name: String
    /// What it is.
    public var type: MemberType
    /// 1…255, the stored kind.
    public var kind: UInt8
    /// Where it is declared, its documentation and its attributes.
    public var declaration: Declaration
    /// What flatc's JSON calls it, where that is not its name: a type that the schema names with its namespace has that in
    /// its name, with underscores (`Sample_Weapon`).
    public var jsonName: String?
  }

  /// What a member is.
  public enum MemberType: Hashable, Sendable {
    case table(Int)
    case structure(Int)
    case string
  }
}

/// A fixed `struct`.
public struct StructDefinition: Sendable {
  /// Its name, with its namespace.
  public var name: QualifiedName
  /// By its place in `Schema.files`.
  public var file: Int
  /// Where it is declared, its documentation and its attributes.
  public var declaration: Declaration
  /// In the order of declaration.
  public var fields: [Field]
  /// Bytes, padding included.
  public var size: Int
  /// A power of two.
  public var alignment: Int
  /// The `v` attribute.
  public var version: String?

  /// One of the fields.
  public struct Field: Sendable {
    /// The name, as the schema spells it.
    public var name: String
    /// What it holds.
    public var type: FieldType
    /// Bytes from the struct's beginning.
    public var offset: Int
    /// Not in generated code; its place stays taken.
    public var isDeprecated: Bool
    /// Where it is declared, its documentation and its attributes.
    public var declaration: Declaration
    /// `indexed` or `unique`.
    public var isIndexed = false
    /// `unique`.
    public var isUnique = false
  }

  /// What a field holds.
  public enum FieldType: Hashable, Sendable {
    case element(ElementType)
    /// `[float:3]`
    case array(ElementType, count: Int)
  }

  /// What a field, or each element of one, holds.
  public enum ElementType: Hashable, Sendable {
    case scalar(ScalarType)
    case enumeration(Int)
    case structure(Int)
  }
}

/// A `table`.
public struct TableDefinition: Sendable {
  /// Its name, with its namespace.
  public var name: QualifiedName
  /// By its place in `Schema.files`.
  public var file: Int
  /// Where it is declared, its documentation and its attributes.
  public var declaration: Declaration
  /// In the order of declaration; deprecated ones too.
  public var fields: [Field]
  /// Its file's `root_type`.
  public var isRoot: Bool
  /// The `v` attribute.
  public var version: String?
  /// `original_order`: fields are written in the order of declaration, not by size.
  public var keepsOriginalOrder: Bool

  /// One of the fields.
  public struct Field: Sendable {
    /// The name, as the schema spells it.
    public var name: String
    /// What it holds.
    public var type: FieldType
    /// Where the vtable has it, in bytes: 4 for the first field, 2 more for each. A union's, or a vector of unions', kinds
    /// are at `slot - 2`.
    public var slot: Int
    /// What stands for the field where the bytes have none.
    public var defaultValue: DefaultValue
    /// Not in generated code; its place stays taken.
    public var isDeprecated: Bool
    /// `required`, and `primary` on strings.
    public var isRequired: Bool
    /// `primary`: a part of the key.
    public var isPrimary: Bool
    /// `indexed` or `unique`.
    public var isIndexed: Bool
    /// `unique`.
    public var isUnique: Bool
    /// `shared`: equal strings are written once.
    public var isShared: Bool
    /// `nested_flatbuffer`: the root of the buffer in this `[ubyte]`, by its place in `Schema.tables`.
    public var nestedTable: Int?
    /// `force_align` on a vector.
    public var forcedAlignment: Int?
    /// Where it is declared, its documentation and its attributes.
    public var declaration: Declaration
  }

  /// What a field holds.
  public enum FieldType: Hashable, Sendable {
    case element(ElementType)
    case vector(ElementType)
  }

  /// What a field, or each element of one, holds.
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
