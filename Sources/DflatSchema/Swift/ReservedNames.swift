/// How a name is spelled where Swift itself, or what Swift makes, has the name already.
enum ReservedNames {
  /// A name in backticks, if Swift reads it as something else without.
  ///
  /// The words are The Swift Programming Language's keywords, and those which have a meaning in front of an expression.
  static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

  /// A property's name. `x.self` is x itself with backticks too, and `hashValue` is what `Hashable` makes.
  static func property(_ name: String) -> String {
    switch name {
    case "self", "hashValue": name + "_"
    default: escaped(name)
    }
  }

  /// The name of an enum's case or an option; they share their type with the static members that the compiler makes.
  static func enumCase(_ name: String) -> String {
    switch name {
    case "self", "allCases", "flatBufferDefault": name + "_"
    default: escaped(name)
    }
  }

  /// The name of a union's case.
  static func unionCase(_ name: String) -> String {
    switch name {
    case "self", "flatBufferLayout": name + "_"
    default: escaped(name)
    }
  }

  /// A property's field in queries, which is a static property of a root's class.
  static func queryField(_ property: String) -> String {
    switch property {
    case "flatBufferLayout", "flatBuffersSchemaVersion": property + "_"
    default: property
    }
  }

  /// A property of a builder, which has a method `build`.
  static func builderProperty(_ property: String) -> String { property == "build" ? "build_" : property }

  /// A property's name as a label in a call, where Swift warns of backticks that it doesn't need.
  static func argumentLabel(_ property: String) -> String {
    property == "`inout`" ? property : property.filter { $0 != "`" }
  }

  /// A type's name or a part of a namespace. `X.Type` and `X.Protocol` are metatypes with backticks too, and `_` is no name.
  static func type(_ name: String) -> String {
    switch name {
    case "Type", "Protocol", "_": name + "_"
    default: escaped(name)
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
