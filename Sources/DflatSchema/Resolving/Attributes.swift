/// The declarations that an attribute may be attached to.
struct AttributeTargets: OptionSet {
  let rawValue: Int

  static let table = AttributeTargets(rawValue: 1)
  static let structure = AttributeTargets(rawValue: 2)
  static let enumeration = AttributeTargets(rawValue: 4)
  static let enumValue = AttributeTargets(rawValue: 8)
  static let union = AttributeTargets(rawValue: 16)
  static let unionMember = AttributeTargets(rawValue: 32)
  static let tableField = AttributeTargets(rawValue: 64)
  static let structField = AttributeTargets(rawValue: 128)
  static let service = AttributeTargets(rawValue: 256)
  static let method = AttributeTargets(rawValue: 512)
  static let any = AttributeTargets(rawValue: 1023)
  /// The declarations that have a name in Swift.
  static let named: AttributeTargets = [
    .table, .structure, .enumeration, .enumValue, .union, .unionMember, .tableField, .structField,
  ]

  /// The targets in words, for errors.
  var description: String {
    let names: [(AttributeTargets, String)] = [
      (.table, "tables"), (.structure, "structs"), (.enumeration, "enums"), (.enumValue, "enum values"),
      (.union, "unions"), (.unionMember, "union members"), (.tableField, "fields of tables"),
      (.structField, "fields of structs"), (.service, "services"), (.method, "methods"),
    ]
    let words = names.filter { contains($0.0) }.map(\.1)
    return words.count < 2
      ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words[words.count - 1]
  }
}

/// An attribute that needs no declaration: one of six that are specific to this compiler, or one of flatc's
/// (https://flatbuffers.dev/schema/#attributes).
struct KnownAttribute {
  enum Value { case none, string, integer, any }

  let targets: AttributeTargets
  let value: Value
  /// The value on a table; nil if it is the same as elsewhere.
  var valueOnTable: Value?
  /// True if the attribute is specific to this compiler.
  var isOurs = false

  func expectedValue(on target: AttributeTargets) -> Value { target == .table ? valueOnTable ?? value : value }

  static func named(_ name: String) -> KnownAttribute? {
    if let known = table[name] { return known }
    return foreignPrefixes.contains(where: name.hasPrefix) ? KnownAttribute(targets: .any, value: .any) : nil
  }

  /// The prefixes of attributes for other languages' generators, which have no effect here.
  private static let foreignPrefixes = ["cpp_", "native_", "csharp_"]

  private static let table: [String: KnownAttribute] = [
    "primary": KnownAttribute(targets: .tableField, value: .none, isOurs: true),
    "indexed": KnownAttribute(
      targets: [.table, .tableField, .structField], value: .none, valueOnTable: .string, isOurs: true),
    "unique": KnownAttribute(
      targets: [.table, .tableField, .structField], value: .none, valueOnTable: .string, isOurs: true),
    "searchable": KnownAttribute(targets: .tableField, value: .none, isOurs: true),
    "v": KnownAttribute(targets: [.table, .structure], value: .string, isOurs: true),
    "swift_name": KnownAttribute(targets: .named, value: .string, isOurs: true),

    "id": KnownAttribute(targets: .tableField, value: .integer),
    "deprecated": KnownAttribute(targets: [.tableField, .structField], value: .any),
    "required": KnownAttribute(targets: .tableField, value: .none),
    "key": KnownAttribute(targets: [.tableField, .structField], value: .none),
    "shared": KnownAttribute(targets: .tableField, value: .none),
    "hash": KnownAttribute(targets: [.tableField, .structField], value: .string),
    "nested_flatbuffer": KnownAttribute(targets: .tableField, value: .string),
    "flexbuffer": KnownAttribute(targets: .tableField, value: .none),
    "force_align": KnownAttribute(targets: [.structure, .tableField], value: .integer),
    "original_order": KnownAttribute(targets: .table, value: .none),
    "bit_flags": KnownAttribute(targets: .enumeration, value: .none),
    "private": KnownAttribute(targets: .any, value: .any),
    "streaming": KnownAttribute(targets: .method, value: .any),
    "idempotent": KnownAttribute(targets: .method, value: .any),
    "vector": KnownAttribute(targets: .tableField, value: .any),
    "vector64": KnownAttribute(targets: .tableField, value: .any),
    "offset64": KnownAttribute(targets: .tableField, value: .any),
  ]
}

/// The attributes of one declaration, looked up by name.
struct ResolvedAttributes {
  private var byName: [String: AttributeSyntax] = [:]
  /// The attributes that don't apply to the declaration.
  private var ignored: Set<String> = []

  init() {}

  subscript(name: String) -> AttributeSyntax? { ignored.contains(name) ? nil : byName[name] }

  func has(_ name: String) -> Bool { self[name] != nil }

  func string(_ name: String) -> String? {
    if case .string(let value)? = self[name]?.value { value } else { nil }
  }

  /// Returns the value of an integer attribute, which may be in quotes.
  func integer(_ name: String) -> Int128? {
    switch self[name]?.value {
    case .integer(let value)?: value
    case .string(let text)?: IntegerLiteral.value(of: text.trimmingSpaces)
    default: nil
    }
  }

  /// Makes an attribute have no effect. It remains one of ``values``.
  mutating func ignore(_ name: String) { ignored.insert(name) }

  var values: [String: AttributeValue] { byName.mapValues(\.value) }

  /// Inserts an attribute, or returns false if there is one with that name.
  mutating func insert(_ attribute: AttributeSyntax) -> Bool {
    guard byName[attribute.name.text] == nil else { return false }
    byName[attribute.name.text] = attribute
    return true
  }
}
