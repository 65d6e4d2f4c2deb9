/// A declared type, by its kind and its index in the schema.
enum TypeReference: Hashable, Sendable {
  case enumeration(Int)
  case union(Int)
  case structure(Int)
  case table(Int)
}

extension ScalarType {
  /// Creates a scalar type from its name or its sized alias.
  init?(schemaName: String) {
    if let alias = Self.aliases[schemaName] {
      self = alias
    } else {
      self.init(rawValue: schemaName)
    }
  }

  private static let aliases: [String: ScalarType] = [
    "int8": .byte, "uint8": .ubyte, "int16": .short, "uint16": .ushort, "int32": .int, "uint32": .uint,
    "int64": .long, "uint64": .ulong, "float32": .float, "float64": .double,
  ]
}
