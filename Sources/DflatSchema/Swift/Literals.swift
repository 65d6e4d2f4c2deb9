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
    case (.integer(let number), _): Self.decimal(number)
    case (.floating(let number), .float), (.floating(let number), .double): floating(number, of: type)
    default: zero(type)
    }
  }

  /// Returns an enum's case, or the options of an option set, or its raw value if some bits have no name.
  func literal(_ number: Int128, of definition: EnumDefinition) -> String {
    guard definition.isBitFlags else {
      let value = definition.values.first { $0.number == number } ?? definition.values[0]
      return "." + ReservedNames.enumCase(SwiftNames.caseName(value.name))
    }
    if number == 0 { return "[]" }
    let options = definition.values.filter { $0.number & number != 0 }
    guard options.reduce(0, { $0 | $1.number }) == number else {
      return ".init(rawValue: \(Self.decimal(number)))"
    }
    let names = options.map { "." + ReservedNames.enumCase(SwiftNames.caseName($0.name)) }
    return "[\(names.joined(separator: ", "))]"
  }

  /// Returns a literal for an expression of optional type, where `.none` and `.some` would mean the cases of
  /// `Optional`.
  static func asOptional(_ literal: String) -> String {
    literal == ".none" || literal == ".`some`" ? ".some(\(literal))" : literal
  }

  /// Returns the default of an enum's field without one of its own: 0, or the first value of an enum without 0.
  static func defaultNumber(_ definition: EnumDefinition) -> Int128 {
    if definition.isBitFlags || definition.values.contains(where: { $0.number == 0 }) { return 0 }
    return definition.values[0].number
  }

  /// Returns a number, with its digits in groups of three if there are at least seven, as `swift format` demands.
  static func decimal(_ number: Int128) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, digits.count >= 7, (digits.count - index) % 3 == 0 { text += "_" }
      text.append(digit)
    }
    return text
  }

  /// Returns a text as a string literal.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // Control and format characters, such as those that reverse the direction of text, are invisible in an editor.
      case _ where scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format:
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private func floating(_ number: Double, of type: ScalarType) -> String {
    let number = type == .float ? Double(Float(number)) : number
    if number.isNaN { return ".nan" }
    // A sign can't precede an implicit member.
    if number.isInfinite { return number > 0 ? ".infinity" : "-\(scalar(type)).infinity" }
    return type == .float ? "\(Float(number))" : "\(number)"
  }
}
