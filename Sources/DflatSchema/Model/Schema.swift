/// A schema with its includes, every name resolved, every offset computed, every rule checked.
///
/// Types refer to each other by their places in these arrays. Everything is in the order of declaration, included files
/// first.
public struct Schema: Sendable {
  /// The files; the compiled ones after those that they include.
  public var files: [SchemaFile] = []
  /// Every `enum`.
  public var enums: [EnumDefinition] = []
  /// Every `union`.
  public var unions: [UnionDefinition] = []
  /// Every `struct`.
  public var structs: [StructDefinition] = []
  /// Every `table`.
  public var tables: [TableDefinition] = []

  /// An empty schema.
  public init() {}
}

/// One file of a schema.
public struct SchemaFile: Sendable {
  /// As it was named on the command line or found through an include.
  public var path: String
  /// The files that it includes itself, by their place in `Schema.files`.
  public var includes: [Int] = []
  /// The table that `root_type` names, by its place in `Schema.tables`; always one of this file.
  public var rootTable: Int?
  /// Four bytes.
  public var fileIdentifier: String?
  /// What `file_extension` says; not used.
  public var fileExtension: String?
  /// The namespaces that hold its types, in the order of their first type; the global one is `[]`.
  public var namespaces: [[String]] = []
  /// Where `root_type` names its table.
  public var rootTypeLocation: SourceLocation?
  /// Where `file_identifier` has its string.
  public var fileIdentifierLocation: SourceLocation?

  /// A file with nothing in it.
  public init(path: String) { self.path = path }
}

/// A name with the namespace that it was declared in, as the schema spells them.
public struct QualifiedName: Hashable, Sendable, CustomStringConvertible {
  /// Its parts; none for the global one.
  public var namespace: [String]
  /// The name alone.
  public var name: String

  /// A name in a namespace.
  public init(namespace: [String], name: String) {
    self.namespace = namespace
    self.name = name
  }

  /// Joined by dots.
  public var description: String { (namespace + [name]).joined(separator: ".") }
}

extension Schema {
  /// Diagnostics in the order of the files and of their text.
  func sorted(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let order = Dictionary(files.enumerated().map { ($0.element.path, $0.offset) }) { first, _ in first }
    let keyed = diagnostics.enumerated().map { (offset, diagnostic) in
      let location = diagnostic.location
      return (key: (order[location.file] ?? -1, location.line, location.column, offset), diagnostic)
    }
    return keyed.sorted { $0.key < $1.key }.map(\.1)
  }
}

/// What every definition has.
public struct Declaration: Sendable {
  /// Of the definition's name.
  public var location: SourceLocation
  /// The lines of its `///` comment, without the slashes and one space.
  public var documentation: [String] = []
  /// Attributes as they were written, the known ones too.
  public var attributes: [String: AttributeValue] = [:]

  /// A declaration without documentation and attributes.
  public init(location: SourceLocation) { self.location = location }
}

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
  /// `(deprecated)`
  case none
  /// `(v: "1.1")`
  case string(String)
  /// `(id: 3)`
  case integer(Int128)
}

/// The scalar types; the sized aliases (`int8` … `float64`) are the same ones.
public enum ScalarType: String, Sendable, CaseIterable {
  case bool, byte, ubyte, short, ushort, int, uint, long, ulong, float, double

  /// Bytes; its alignment too.
  public var size: Int {
    switch self {
    case .bool, .byte, .ubyte: 1
    case .short, .ushort: 2
    case .int, .uint, .float: 4
    case .long, .ulong, .double: 8
    }
  }

  /// `byte` to `ulong`.
  public var isInteger: Bool { self != .bool && !isFloatingPoint }
  /// `float` or `double`.
  public var isFloatingPoint: Bool { self == .float || self == .double }

  /// The values of an integer type; of `bool` 0 and 1; nil for floating-point types.
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
