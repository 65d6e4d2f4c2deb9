// The Swift expressions of paths, as arguments of the store's `FieldPath`, `FieldExpr` and `VectorExpr`.

extension StoredPath {
  /// The arguments of a `FieldPath`: `[.union(26, kind: 2)], .string(4)`.
  var swift: [String] {
    (steps.isEmpty ? [] : ["[\(steps.map(\.swift).joined(separator: ", "))]"]) + [leaf.swift]
  }
}

extension StoredPath.Step {
  var swift: String {
    switch self {
    case .table(let slot): ".table(\(slot))"
    case .structure(let slot): ".structure(\(slot))"
    case .inner(let offset): ".inner(\(offset))"
    case .union(let slot, let kind): ".union(\(slot), kind: \(kind))"
    case .unionStructure(let slot, let kind): ".unionStructure(\(slot), kind: \(kind))"
    }
  }
}

extension StoredLeaf {
  var swift: String {
    switch self {
    case .scalar(let place, let type, let value):
      ".scalar(\(place), \(type.queryType), default: \(type.queryValue(value)))"
    case .enumeration(let place, let type, let value, let known):
      ".enumeration(\(place), \(type.enumeration(default: value, known: known)))"
    case .string(let slot, let text?): ".string(\(slot), default: \(SwiftLiterals.quoted(text)))"
    case .string(let slot, nil): ".string(\(slot))"
    case .kind(let slot, let known): ".kind(\(slot), known: \(known))"
    case .unionString(let slot, let kind): ".unionString(\(slot), kind: \(kind))"
    }
  }
}

extension StoredElement {
  /// The expression of the `VectorElement`.
  var swift: String {
    switch self {
    case .scalar(let type): ".scalar(\(type.queryType))"
    case .enumeration(let type, let value, let known): ".enumeration(\(type.enumeration(default: value, known: known)))"
    case .string: ".string"
    }
  }
}

extension ScalarType {
  fileprivate func enumeration(default value: TableDefinition.DefaultValue, known: [Int128]) -> String {
    let numbers = known.map { queryValue(.integer($0)) }.joined(separator: ", ")
    return "\(queryType), default: \(queryValue(value)), known: [\(numbers)]"
  }

  fileprivate var queryType: String {
    switch self {
    case .bool: ".bool"
    case .byte: ".int8"
    case .ubyte: ".uint8"
    case .short: ".int16"
    case .ushort: ".uint16"
    case .int: ".int32"
    case .uint: ".uint32"
    case .long: ".int64"
    case .ulong: ".uint64"
    case .float: ".float"
    case .double: ".double"
    }
  }

  /// Returns the `QueryValue` of a default.
  fileprivate func queryValue(_ value: TableDefinition.DefaultValue) -> String {
    switch (self, value) {
    case (_, .null): ".null"
    case (.ulong, .integer(let number)): ".unsigned(\(SwiftLiterals.decimal(number)))"
    case (.ulong, _): ".unsigned(0)"
    case (.float, .integer(let number)), (.double, .integer(let number)): ".real(\(real(Double(number))))"
    case (.float, .floating(let number)), (.double, .floating(let number)): ".real(\(real(number)))"
    case (.float, _), (.double, _): ".real(0)"
    case (_, .integer(let number)): ".integer(\(SwiftLiterals.decimal(number)))"
    default: ".integer(0)"
    }
  }

  /// Returns a `Double` in Swift without naming its type, which a type of the schema may hide.
  private func real(_ number: Double) -> String {
    let number = self == .float ? Double(Float(number)) : number
    if number.isNaN { return ".nan" }
    if number.isInfinite { return number > 0 ? ".infinity" : "-(.infinity)" }
    return number == number.rounded() && abs(number) < 1e15 ? SwiftLiterals.decimal(Int128(number)) : "\(number)"
  }
}
