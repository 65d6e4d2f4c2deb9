/// A schema with its includes: every name is resolved, every offset computed, every rule checked.
///
/// Types refer to each other by their indices in these arrays. Everything is in the order of declaration, included
/// files first.
public struct Schema: Sendable {
  /// The files; the compiled ones follow those that they include.
  public var files: [SchemaFile] = []
  /// Every `enum`.
  public var enums: [EnumDefinition] = []
  /// Every `union`.
  public var unions: [UnionDefinition] = []
  /// Every `struct`.
  public var structs: [StructDefinition] = []
  /// Every `table`.
  public var tables: [TableDefinition] = []
  /// The warnings about the files, in their order and that of their text.
  public var warnings: [Diagnostic] = []

  /// Creates an empty schema.
  public init() {}
}

/// A file of a schema.
public struct SchemaFile: Sendable {
  /// The path on the command line, or the one found through an include.
  public var path: String
  /// The files that it includes directly, by their indices in `Schema.files`.
  public var includes: [Int] = []
  /// The table that `root_type` names, by its index in `Schema.tables`. It may be a table without a primary key of an
  /// included file.
  public var rootTable: Int?
  /// The value of `file_identifier`, four bytes.
  public var fileIdentifier: String?
  /// The value of `file_extension`. The compiler doesn't use it.
  public var fileExtension: String?
  /// The namespaces that hold its types, in the order of their first type; the global one is `[]`.
  public var namespaces: [[String]] = []
  /// The location of the table's name in `root_type`.
  public var rootTypeLocation: SourceLocation?
  /// The location of the string in `file_identifier`.
  public var fileIdentifierLocation: SourceLocation?

  /// Creates an empty file.
  public init(path: String) { self.path = path }
}

/// A name with the namespace of its declaration, as the schema spells them.
public struct QualifiedName: Hashable, Sendable, CustomStringConvertible {
  /// The parts of the namespace; empty for the global one.
  public var namespace: [String]
  /// The name without its namespace.
  public var name: String

  /// Creates a name in a namespace.
  public init(namespace: [String], name: String) {
    self.namespace = namespace
    self.name = name
  }

  /// The full name, joined by dots.
  public var description: String { (namespace + [name]).joined(separator: ".") }
}

extension Schema {
  /// Returns diagnostics in the order of the files and of their text.
  func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let order = Dictionary(files.enumerated().map { ($0.element.path, $0.offset) }) { first, _ in first }
    let keyed = diagnostics.enumerated().map { (offset, diagnostic) in
      let location = diagnostic.location
      return (key: (order[location.file] ?? -1, location.line, location.column, offset), diagnostic)
    }
    return keyed.sorted { $0.key < $1.key }.map(\.1)
  }
}

/// The parts that all definitions have.
public struct Declaration: Sendable {
  /// The location of the definition's name.
  public var location: SourceLocation
  /// The lines of the `///` comment, without the slashes and the space after them.
  public var documentation: [String] = []
  /// The attributes as written, including the known ones.
  public var attributes: [String: AttributeValue] = [:]
  /// The name in Swift, before keywords are escaped: the value of `swift_name`, or a name derived from the schema's.
  public var swiftName = ""

  /// Creates a declaration without documentation and attributes.
  public init(location: SourceLocation) { self.location = location }
}

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
  /// No value: `(deprecated)`.
  case none
  /// A string: `(v: "1.1")`.
  case string(String)
  /// An integer: `(id: 3)`.
  case integer(Int128)
}

/// The scalar types. The sized aliases (`int8` … `float64`) stand for the same types.
public enum ScalarType: String, Sendable, CaseIterable {
  /// A scalar type, by its name in schemas.
  case bool, byte, ubyte, short, ushort, int, uint, long, ulong, float, double

  /// The size in bytes, which is also the alignment.
  public var size: Int {
    switch self {
    case .bool, .byte, .ubyte: 1
    case .short, .ushort: 2
    case .int, .uint, .float: 4
    case .long, .ulong, .double: 8
    }
  }

  /// True for `byte` to `ulong`.
  public var isInteger: Bool { self != .bool && !isFloatingPoint }
  /// True for `float` and `double`.
  public var isFloatingPoint: Bool { self == .float || self == .double }

  /// The range of an integer type, 0 and 1 for `bool`; nil for floating-point types.
  public var range: ClosedRange<Int128>? {
    switch self {
    case .bool: 0...1
    case .byte: Int128(Int8.min)...Int128(Int8.max)
    case .ubyte: 0...Int128(UInt8.max)
    case .short: Int128(Int16.min)...Int128(Int16.max)
    case .ushort: 0...Int128(UInt16.max)
    case .int: Int128(Int32.min)...Int128(Int32.max)
    case .uint: 0...Int128(UInt32.max)
    case .long: Int128(Int64.min)...Int128(Int64.max)
    case .ulong: 0...Int128(UInt64.max)
    case .float, .double: nil
    }
  }
}
