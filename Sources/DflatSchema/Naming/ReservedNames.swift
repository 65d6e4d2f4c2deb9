/// Adapts names that are taken by Swift itself or by members that Swift or the generated code adds.
enum ReservedNames {
  /// Returns a name in backticks if Swift would read it as a keyword.
  ///
  /// The list has the keywords of The Swift Programming Language, and the words that have a meaning before an
  /// expression.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// Returns a property's name. `x.self` is `x` itself even with backticks, and `Hashable` adds `hashValue`. Entities
  /// have an `_identity`, their change requests `_values`, and the fields in queries a `_place`.
  static func property(_ name: String) -> String {
    switch name {
    case "self", "hashValue", "_identity", "_values", "_place": name + "_"
    default: escaped(name)
    }
  }

  /// Returns the name of an enum's case or of an option, which share their type with static members of generated code.
  static func enumCase(_ name: String) -> String {
    switch name {
    case "self", "allCases", "flatBufferDefault": name + "_"
    default: escaped(name)
    }
  }

  /// Returns the name of a union's case.
  static func unionCase(_ name: String) -> String {
    switch name {
    case "self", "flatBufferLayout": name + "_"
    default: escaped(name)
    }
  }

  /// Returns the name of a property's field in queries, which is a static property of a root's class.
  static func queryField(_ property: String) -> String {
    switch property {
    case "flatBufferLayout", "flatBuffersSchema", "flatBuffersSchemaVersion", "_entity", "_fields", "_Fields",
      "_Builder", "_layoutFields", "_primaryKey", "_indexes", "_searchable":
      property + "_"
    default: property
    }
  }

  /// Returns the name of a property in a builder, which has a method `build`.
  static func builderProperty(_ property: String) -> String { property == "build" ? "build_" : property }

  /// Returns the names that a field has in generated code: its property, its field in queries, and its property in a
  /// builder, even if the type has no builder: a table keeps its names when it becomes an entity. Most are the same.
  static func fieldNames(_ name: String) -> [String] {
    let property = property(name)
    return [property, queryField(property), builderProperty(property)]
  }

  /// Returns the name of the stored property that Swift adds for a property with a wrapper.
  static func wrapperStorage(ofProperty name: String) -> String { "_" + property(name).filter { $0 != "`" } }

  /// Returns a property's name as an argument label, where Swift warns of unnecessary backticks.
  static func argumentLabel(_ property: String) -> String {
    property == "`inout`" ? property : property.filter { $0 != "`" }
  }

  /// Returns the name of a type or of a part of a namespace. `X.Type` and `X.Protocol` are metatypes even with
  /// backticks, and `_` is no name. The modules that generated code uses to distinguish its own types from those of
  /// a schema have no other name.
  static func type(_ name: String) -> String {
    switch name {
    case "Type", "Protocol", "_", "Swift", "DflatBuffers", "DflatEntities": name + "_"
    default: escaped(name)
    }
  }

  /// Returns the name of an enum or an option set in its own code. Swift adds types with these names to it, which hide
  /// its own.
  static func insideEnum(_ declaredName: String) -> String {
    switch declaredName {
    case "RawValue", "AllCases", "Element", "ArrayLiteralElement": "Self"
    default: declaredName
    }
  }

  private static let keywords: Set<String> = [
    "Any", "Self", "any", "as", "associatedtype", "async", "await", "borrow", "break", "case", "catch", "class",
    "consume", "continue", "copy", "default", "defer", "deinit", "discard", "do", "each", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal",
    "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self", "some", "static", "struct", "subscript", "super", "switch", "then", "throw", "throws", "true", "try",
    "typealias", "unsafe", "var", "where", "while", "yield",
  ]
}
