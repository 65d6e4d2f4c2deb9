/// A property of a generated type, and its parameter in the memberwise initializer.
struct Property {
  /// The name as Swift code spells it.
  let name: String
  let type: String
  let documentation: [String]
  /// The parameter's type. If there is a default argument, it is optional, and nil means the default.
  let parameterType: String
  /// The default argument; nil if the parameter is required.
  let defaultArgument: String?
  /// The property's initial value for the parameter `name`; with a fallback, only if the parameter isn't nil.
  let initialValue: String
  /// The property's initial value if the parameter is nil.
  let fallback: String?

  /// The parameter's declaration and its default.
  var parameter: (declaration: String, rest: String) {
    ("\(name): \(parameterType)", defaultArgument.map { "= \($0)" } ?? "")
  }
}

extension CodeWriter {
  /// Writes aliases for types that a property or a case of the type hides.
  mutating func emitAliases(of scope: SwiftScope) {
    for alias in scope.aliases { line("private typealias \(alias.name) = \(alias.type)") }
    if !scope.aliases.isEmpty { line() }
  }

  /// Writes the initializer with a parameter for each property.
  ///
  /// - Parameter last: A statement after those of the properties.
  mutating func emitMemberwiseInitializer(_ properties: [Property], last: String? = nil) {
    guard !properties.isEmpty else { return line("public init() {}") }
    // At a `??` that may leave an initializer, the compiler examines all properties. With hundreds, that takes minutes.
    let isLarge = properties.count { $0.fallback != nil } > 64
    function("public init", properties.map(\.parameter)) { writer in
      for property in properties {
        var value = property.initialValue
        if let fallback = property.fallback {
          value = isLarge ? "if let \(value) { \(value) } else { \(fallback) }" : "\(value) ?? \(fallback)"
        }
        writer.assignment("self.\(property.name)", value)
      }
      if let last { writer.line(last) }
    }
  }

  /// Writes the `v` attribute, which the dictionary stores with each value.
  mutating func emitSchemaVersion(_ version: String?, in scope: SwiftScope) {
    line(
      "public static var flatBuffersSchemaVersion: \(scope.standard("String"))? { "
        + "\(version.map(SwiftLiterals.quoted) ?? "nil") }")
  }
}
