import DflatSchema

/// An entity to generate: a type whose objects have a key.
package struct EntityOptions: Hashable, Sendable {
  /// The name of an object type, an interface or a union.
  package let name: String
  /// The field with the key, which every object of the type has.
  package let key: String
  /// The fields with an index.
  package var indexed: Set<String>

  package init(name: String, key: String, indexed: Set<String> = []) {
    self.name = name
    self.key = key
    self.indexed = indexed
  }
}

/// The scalar of a schema as it is stored.
package enum StoredScalar: String, CaseIterable, Sendable {
  case string, int, long, double, bool
  /// A string with any JSON value.
  case json

  var type: StoredType {
    switch self {
    case .string, .json: .string
    case .int: .scalar(.int)
    case .long: .scalar(.long)
    case .double: .scalar(.double)
    case .bool: .scalar(.bool)
    }
  }

  /// The type of values in responses.
  var swiftType: String {
    switch self {
    case .string: "String"
    case .int: "Int32"
    case .long: "Int64"
    case .double: "Double"
    case .bool: "Bool"
    case .json: "JSONText"
    }
  }

  /// The representations of the scalars that every schema has.
  static let builtIn: [String: StoredScalar] = [
    "Int": .int, "Float": .double, "String": .string, "Boolean": .bool, "ID": .string,
  ]
}
