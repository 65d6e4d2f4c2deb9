import DflatSchema

/// The field with the attribute `key`. flatc sorts a vector of the type by this field, so that readers can search it.
struct ElementKey {
  enum Kind {
    case string
    case number(ScalarType)
    case enumeration(EnumDefinition)
  }

  private enum Order: Comparable {
    case integer(Int128)
    case floating(Double)
    /// NaN, which comes after all numbers, so that readers find these by binary search.
    case notANumber
    case bytes([UInt8])

    static func of(_ number: Double) -> Order { number.isNaN ? .notANumber : .floating(number) }

    static func < (left: Order, right: Order) -> Bool {
      switch (left, right) {
      case (.integer(let left), .integer(let right)): left < right
      case (.floating(let left), .floating(let right)): left < right
      case (.floating, .notANumber): true
      case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
      default: false
      }
    }
  }

  let field: String
  let kind: Kind
  let defaultValue: TableDefinition.DefaultValue

  /// Sorts the values made from elements by the elements' keys. The sort is stable.
  static func sorted<Value>(
    _ values: [Value], by elements: [JSONValue], _ key: ElementKey?
  ) throws(FlatBufferJSONFailure) -> [Value] {
    guard let key else {
      return values
    }
    var orders: [Order] = []
    for element in elements {
      orders.append(try key.order(element))
    }
    let places = values.indices.sorted { (orders[$0], $0) < (orders[$1], $1) }
    return places.map { values[$0] }
  }

  private func order(_ element: JSONValue) throws(FlatBufferJSONFailure) -> Order {
    let json: JSONValue? = if case .object(let object) = element { object[field] } else { nil }
    switch (kind, json) {
    case (.string, .string(let text)?): return .bytes(Array(text.utf8))
    case (.string, _): return .bytes([])
    case (_, nil), (_, .null?): return defaultOrder
    case (.number(let type), let json?): return Self.order(type, try type.bits(json))
    case (.enumeration(let definition), let json?): return Self.order(definition.base, try definition.bits(json))
    }
  }

  private static func order(_ type: ScalarType, _ bits: StoredBits) -> Order {
    switch type {
    case .float: .of(Double(Float(bitPattern: UInt32(bits))))
    case .double: .of(Double(bitPattern: bits))
    default: .integer(type.integer(bits))
    }
  }

  private var defaultOrder: Order {
    let isFloating = if case .number(let type) = kind { type.isFloatingPoint } else { false }
    return switch defaultValue {
    case .integer(let number): isFloating ? .floating(Double(number)) : .integer(number)
    case .floating(let number): .of(number)
    case .none, .null, .string: isFloating ? .floating(0) : .integer(0)
    }
  }
}

extension TableDefinition {
  /// Returns the field with the attribute `key`.
  func key(_ schema: Schema) -> ElementKey? {
    guard let field = fields.first(where: { $0.declaration.isKey }) else {
      return nil
    }
    let kind: ElementKey.Kind? =
      switch field.type {
      case .element(.scalar(let type)): .number(type)
      case .element(.enumeration(let index)): .enumeration(schema.enums[index])
      case .element(.string): .string
      default: nil
      }
    return kind.map { ElementKey(field: field.name, kind: $0, defaultValue: field.defaultValue) }
  }
}

extension StructDefinition {
  /// Returns the field with the attribute `key`.
  func key(_ schema: Schema) -> ElementKey? {
    guard let field = fields.first(where: { $0.declaration.isKey }) else {
      return nil
    }
    let kind: ElementKey.Kind? =
      switch field.type {
      case .element(.scalar(let type)): .number(type)
      case .element(.enumeration(let index)): .enumeration(schema.enums[index])
      default: nil
      }
    return kind.map { ElementKey(field: field.name, kind: $0, defaultValue: .none) }
  }
}

extension Declaration {
  /// True if the declaration has the attribute `key`.
  var isKey: Bool {
    attributes["key"] != nil
  }
}
