/// An `enum`.
public struct EnumDefinition: Sendable {
  /// The name, with its namespace.
  public var name: QualifiedName
  /// The index of the file in `Schema.files`.
  public var file: Int
  /// The location, documentation and attributes.
  public var declaration: Declaration
  /// The integer type of the values.
  public var base: ScalarType
  /// True with `bit_flags`: the values are masks of one bit each.
  public var isBitFlags: Bool
  /// The values: at least one, with distinct numbers. An enum that declares none has `NONE`, as in flatc.
  public var values: [Value]

  /// The default of a field without one of its own: 0, or the first value of an enum without 0.
  package var defaultNumber: Int128 {
    if isBitFlags || values.contains(where: { $0.number == 0 }) { return 0 }
    // Errors in all its values leave an enum without any.
    return values.first?.number ?? 0
  }

  /// A value of an enum.
  public struct Value: Sendable {
    /// The name in the schema.
    public var name: String
    /// The stored number. With `bit_flags` it is the mask, not the bit's position.
    public var number: Int128
    /// The location, documentation and attributes.
    public var declaration: Declaration
  }
}

/// A `union`.
public struct UnionDefinition: Sendable {
  /// The name, with its namespace.
  public var name: QualifiedName
  /// The index of the file in `Schema.files`.
  public var file: Int
  /// The location, documentation and attributes.
  public var declaration: Declaration
  /// The members, without `NONE`. There may be none.
  public var members: [Member]

  /// A member of a union.
  public struct Member: Sendable {
    /// The name in the schema: the one before the colon, or the type's own name without its namespace. If another member
    /// has that name, it is the name in flatc's JSON.
    public var name: String
    /// The type.
    public var type: MemberType
    /// The stored kind, 1 to 255.
    public var kind: UInt8
    /// The location, documentation and attributes.
    public var declaration: Declaration
    /// The name in flatc's JSON if it differs from `name`. There, a type that the schema names with its namespace keeps
    /// it, joined by underscores (`Sample_Weapon`).
    public var jsonName: String?
  }

  /// The type of a union's member.
  public enum MemberType: Hashable, Sendable {
    /// A table, by its index in `Schema.tables`.
    case table(Int)
    /// A struct, by its index in `Schema.structs`.
    case structure(Int)
    /// A string.
    case string
  }
}

/// A fixed `struct`.
public struct StructDefinition: Sendable {
  /// The name, with its namespace.
  public var name: QualifiedName
  /// The index of the file in `Schema.files`.
  public var file: Int
  /// The location, documentation and attributes.
  public var declaration: Declaration
  /// The fields in the order of declaration, including deprecated ones.
  public var fields: [Field]
  /// The size in bytes, including padding.
  public var size: Int
  /// The alignment in bytes, a power of two.
  public var alignment: Int
  /// The number of structs that may be in one another.
  package static let maximumDepth = 64

  /// The number of arrays in a decoded value, including those of the structs inside it.
  package var arrays = 0
  /// The value of the `v` attribute.
  public var version: String?

  /// A field of a struct.
  public struct Field: Sendable {
    /// The name in the schema.
    public var name: String
    /// The type.
    public var type: FieldType
    /// The offset in bytes from the struct's start.
    public var offset: Int
    /// True if generated code omits the field. Its bytes stay reserved.
    public var isDeprecated: Bool
    /// The location, documentation and attributes.
    public var declaration: Declaration
    /// True with `indexed` or `unique`.
    public var isIndexed = false
    /// True with `unique`.
    public var isUnique = false
  }

  /// The type of a struct's field.
  public enum FieldType: Hashable, Sendable {
    /// A single value.
    case element(ElementType)
    /// A fixed-length array: `[float:3]`.
    case array(ElementType, count: Int)
  }

  /// The type of a field, or of an array's elements.
  public enum ElementType: Hashable, Sendable {
    /// A scalar.
    case scalar(ScalarType)
    /// An enum, by its index in `Schema.enums`.
    case enumeration(Int)
    /// A struct, by its index in `Schema.structs`.
    case structure(Int)
  }
}

/// A `table`.
public struct TableDefinition: Sendable {
  /// The name, with its namespace.
  public var name: QualifiedName
  /// The index of the file in `Schema.files`.
  public var file: Int
  /// The location, documentation and attributes.
  public var declaration: Declaration
  /// The fields in the order of declaration, including deprecated ones.
  public var fields: [Field]
  /// True if the table is the `root_type` of its file, whose identifier its buffers have.
  public var isRoot: Bool
  /// The value of the `v` attribute.
  public var version: String?
  /// True with `original_order`: fields are written in the order of declaration, not by size.
  public var keepsOriginalOrder: Bool
  /// The indexes over several fields that `indexed` and `unique` on the table declare.
  public var indexes: [Index] = []

  /// True for an entity, whose objects have tables of their own in the file: a root with a primary key. Every other
  /// table is a plain value.
  public var isEntity: Bool { isRoot && fields.contains { $0.isPrimary && !$0.isDeprecated } }

  /// Returns the file identifier of buffers whose root is such a table, or nil if they have none.
  package func identifier(in schema: Schema) -> String? { isRoot ? schema.files[file].fileIdentifier : nil }

  /// An index over several fields of an entity.
  public struct Index: Hashable, Sendable {
    /// The paths to the fields, in the order of the index, by the names of fields and of unions' members in the schema:
    /// `author`, `position.latitude`, `equipped.Orb.name`. A union's name alone means its kind.
    public var fields: [String]
    /// True with `unique`: no two objects share the combination of values.
    public var isUnique: Bool
  }

  /// A field of a table.
  public struct Field: Sendable {
    /// The name in the schema.
    public var name: String
    /// The type.
    public var type: FieldType
    /// The byte offset in the vtable: 4 for the first field, and 2 more for each following one. The kinds of a union or
    /// of a vector of unions are at `slot - 2`.
    public var slot: Int
    /// The value of an absent field.
    public var defaultValue: DefaultValue
    /// True if generated code omits the field. Its slot stays reserved.
    public var isDeprecated: Bool
    /// True with `required`, and for strings also with `primary` or `key`, unless the field is deprecated.
    public var isRequired: Bool
    /// True with `primary`: the field is part of the primary key.
    public var isPrimary: Bool
    /// True with `indexed` or `unique`.
    public var isIndexed: Bool
    /// True with `unique`.
    public var isUnique: Bool
    /// True with `searchable`: full-text searches find objects by the words of this string.
    public var isSearchable = false
    /// True with `shared`: equal strings are written once.
    public var isShared: Bool
    /// The table that `nested_flatbuffer` names, by its index in `Schema.tables`: the root of the buffer in this
    /// `[ubyte]`.
    public var nestedTable: Int?
    /// The value of `force_align` on a vector.
    public var forcedAlignment: Int?
    /// The location, documentation and attributes.
    public var declaration: Declaration
  }

  /// The type of a table's field.
  public enum FieldType: Hashable, Sendable {
    /// A single value.
    case element(ElementType)
    /// A vector.
    case vector(ElementType)
  }

  /// The type of a field, or of a vector's elements.
  public enum ElementType: Hashable, Sendable {
    /// A scalar.
    case scalar(ScalarType)
    /// An enum, by its index in `Schema.enums`.
    case enumeration(Int)
    /// A string.
    case string
    /// A struct, by its index in `Schema.structs`.
    case structure(Int)
    /// A table, by its index in `Schema.tables`.
    case table(Int)
    /// A union, by its index in `Schema.unions`.
    case union(Int)
  }

  /// The value of an absent field.
  public enum DefaultValue: Hashable, Sendable {
    /// No default in the schema. Scalars and enums then default to 0, and vectors to an empty one.
    case none
    /// The default `= null`, which makes a scalar or enum optional.
    case null
    /// A default of an integer, a `bool` (0 or 1) or an enum.
    case integer(Int128)
    /// A default of a `float` or `double`, including NaN and the infinities.
    case floating(Double)
    /// A default of a string.
    case string(String)
  }
}
