extension SchemaPrinter {
  static func type(_ type: TableDefinition.FieldType, _ schema: Schema) -> JSONNode {
    switch type {
    case .element(let element): node(element, schema)
    case .vector(let element): .object([("kind", .string("vector")), ("element", node(element, schema))])
    }
  }

  static func type(_ type: StructDefinition.FieldType, _ schema: Schema) -> JSONNode {
    switch type {
    case .element(let element): node(element, schema)
    case .array(let element, let count):
      .object([
        ("kind", .string("array")), ("element", node(element, schema)), ("count", .integer(count)),
      ])
    }
  }

  static func type(_ type: UnionDefinition.MemberType, _ schema: Schema) -> JSONNode {
    type.reference.map { node($0, schema) } ?? string
  }

  private static var string: JSONNode { .object([("kind", .string("string"))]) }

  private static func node(_ scalar: ScalarType) -> JSONNode {
    .object([("kind", .string("scalar")), ("name", .string(scalar.rawValue))])
  }

  private static func node(_ element: TableDefinition.ElementType, _ schema: Schema) -> JSONNode {
    if let reference = element.reference { return node(reference, schema) }
    if case .scalar(let scalar) = element { return node(scalar) }
    return string
  }

  private static func node(_ element: StructDefinition.ElementType, _ schema: Schema) -> JSONNode {
    switch element {
    case .scalar(let scalar): node(scalar)
    case .enumeration(let index): node(TypeReference.enumeration(index), schema)
    case .structure(let index): node(TypeReference.structure(index), schema)
    }
  }

  private static func node(_ reference: TypeReference, _ schema: Schema) -> JSONNode {
    let kind =
      switch reference {
      case .enumeration: "enum"
      case .union: "union"
      case .structure: "struct"
      case .table: "table"
      }
    return .object([("kind", .string(kind)), ("name", .string(schema.name(of: reference).description))])
  }
}
