/// A property of a generated type, and its parameter in the memberwise initializer.
struct Property {
  /// As Swift code spells it.
  let name: String
  let type: String
  let documentation: [String]
  /// The parameter's type; one with a default is optional, and nil stands for the default.
  let parameterType: String
  /// Nil where the parameter has to be given.
  let defaultArgument: String?
  /// What the property becomes for the parameter `name`, or, with a fallback, for one that isn't nil.
  let initialValue: String
  /// What the property becomes for nil.
  let fallback: String?

  /// The declaration of the parameter, and its default.
  var parameter: (declaration: String, rest: String) {
    ("\(name): \(parameterType)", defaultArgument.map { "= \($0)" } ?? "")
  }
}

extension CodeWriter {
  /// Names for types that a property or a case of the type hides.
  mutating func emitAliases(of scope: SwiftScope) {
    for alias in scope.aliases { line("private typealias \(alias.name) = \(alias.type)") }
    if !scope.aliases.isEmpty { line() }
  }

  /// - Parameter last: a statement after those of the properties.
  mutating func emitMemberwiseInitializer(_ properties: [Property], last: String? = nil) {
    guard !properties.isEmpty else { return line("public init() {}") }
    // Where `??` may leave an initializer, the compiler looks at all the properties: with hundreds that takes it minutes.
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

  /// The `v` attribute, which the dictionary stores with a value.
  mutating func emitSchemaVersion(_ version: String?, in scope: SwiftScope) {
    line(
      "public static var flatBuffersSchemaVersion: \(scope.standard("String"))? { "
        + "\(version.map(SwiftScope.quoted) ?? "nil") }")
  }
}
