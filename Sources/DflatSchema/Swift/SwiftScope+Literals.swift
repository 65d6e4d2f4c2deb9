/// Literals for defaults in Swift.
extension SwiftScope {
  /// Returns zero, the default of a scalar without another one.
  func zero(_ type: ScalarType) -> String {
    switch type {
    case .bool: "false"
    case .float, .double: "0.0"
    default: "0"
    }
  }

  func literal(_ value: TableDefinition.DefaultValue, of type: ScalarType) -> String {
    switch (value, type) {
    case (.integer(let number), .bool): number == 0 ? "false" : "true"
    case (.integer(let number), .float), (.integer(let number), .double): floating(Double(number), of: type)
    case (.integer(let number), _): SwiftLiterals.decimal(number)
    case (.floating(let number), .float), (.floating(let number), .double): floating(number, of: type)
    default: zero(type)
    }
  }

  /// Returns an enum's case, or the options of an option set, or its raw value if some bits have no name.
  func literal(_ number: Int128, of definition: EnumDefinition) -> String {
    guard definition.isBitFlags else {
      let value = definition.values.first { $0.number == number } ?? definition.values[0]
      return "." + ReservedNames.enumCase(value.declaration.swiftName)
    }
    if number == 0 { return "[]" }
    let options = definition.values.filter { $0.number & number != 0 }
    guard options.reduce(0, { $0 | $1.number }) == number else {
      return ".init(rawValue: \(SwiftLiterals.decimal(number)))"
    }
    let names = options.map { "." + ReservedNames.enumCase($0.declaration.swiftName) }
    return "[\(names.joined(separator: ", "))]"
  }

  /// Returns a literal for an expression of optional type, where `.none` and `.some` would mean the cases of
  /// `Optional`.
  static func asOptional(_ literal: String) -> String {
    literal == ".none" || literal == ".`some`" ? ".some(\(literal))" : literal
  }

  private func floating(_ number: Double, of type: ScalarType) -> String {
    let number = type == .float ? Double(Float(number)) : number
    if number.isNaN { return ".nan" }
    // A sign can't precede an implicit member.
    if number.isInfinite { return number > 0 ? ".infinity" : "-\(scalar(type)).infinity" }
    return type == .float ? "\(Float(number))" : "\(number)"
  }
}
