package import DflatSchema

extension EntityDescription {
  /// Creates the description of a schema's type, equal to the one in generated code.
  ///
  /// - Parameters:
  ///   - index: The type's index in `Schema.tables`.
  ///   - schema: The schema.
  ///   - text: The schema's text in the file; nil for the canonical one.
  /// - Returns: Nil if the type has no primary key.
  package convenience init?(ofTable index: Int, in schema: Schema, text: String? = nil) {
    let layout = EntityLayout(index, in: schema)
    if layout.primaryKey.isEmpty { return nil }
    self.init(
      layout.table, primaryKey: layout.primaryKey.map { EntityField($0) },
      indexes: layout.indexes.map { EntityIndex($0.fields.map { EntityField($0) }, isUnique: $0.isUnique) },
      searchable: layout.searchable.map { EntityField($0) },
      schema: (text ?? SchemaText.of(table: index, in: schema)).map { FlatBuffersSchema(root: layout.table, text: $0) })
  }
}

extension EntityField {
  fileprivate init(_ field: EntityLayout.Field) { self.init(field.name, FieldPath(field.path)) }
}

extension VectorPath {
  /// Creates the vector at the end of a query's path; nil for any other field.
  package init?(_ path: QueryPath) {
    guard case .vector(let slot, let element) = path.target else { return nil }
    self.init(path.steps.map { FieldPath.Step($0) }, slot: slot, of: VectorElement(element))
  }
}

extension FieldPath {
  fileprivate init(_ path: StoredPath) { self.init(path.steps.map { Step($0) }, Leaf(path.leaf)) }
}

extension FieldPath.Step {
  init(_ step: StoredPath.Step) {
    self =
      switch step {
      case .table(let slot): .table(slot)
      case .structure(let slot): .structure(slot)
      case .inner(let offset): .inner(offset)
      case .union(let slot, let kind): .union(slot, kind: kind)
      case .unionStructure(let slot, let kind): .unionStructure(slot, kind: kind)
      }
  }
}

extension FieldPath.Leaf {
  init(_ leaf: StoredLeaf) {
    self =
      switch leaf {
      case .scalar(let place, let type, let value): .scalar(place, type.queryType, default: type.queryValue(value))
      case .enumeration(let place, let type, let value, let known):
        .enumeration(
          place, type.queryType, default: type.queryValue(value), known: known.map { type.queryValue(.integer($0)) })
      case .string(let slot, let text): .string(slot, default: text)
      case .kind(let slot, let known): .kind(slot, known: known)
      case .unionString(let slot, let kind): .unionString(slot, kind: kind)
      }
  }
}

extension VectorElement {
  fileprivate init(_ element: StoredElement) {
    self =
      switch element {
      case .scalar(let type): .scalar(type.queryType)
      case .enumeration(let type, let value, let known):
        .enumeration(
          type.queryType, default: type.queryValue(value), known: known.map { type.queryValue(.integer($0)) })
      case .string: .string
      }
  }
}

extension ScalarType {
  fileprivate var queryType: QueryValueType {
    switch self {
    case .bool: .bool
    case .byte: .int8
    case .ubyte: .uint8
    case .short: .int16
    case .ushort: .uint16
    case .int: .int32
    case .uint: .uint32
    case .long: .int64
    case .ulong: .uint64
    case .float: .float
    case .double: .double
    }
  }

  /// Returns the value of a default.
  fileprivate func queryValue(_ standard: TableDefinition.DefaultValue) -> QueryValue {
    switch (self, standard) {
    case (_, .null): .null
    case (.ulong, .integer(let number)): .unsigned(UInt64(truncatingIfNeeded: number))
    case (.ulong, _): .unsigned(0)
    case (.float, .integer(let number)): .real(Double(Float(number)))
    case (.float, .floating(let number)): .real(Double(Float(number)))
    case (.double, .integer(let number)): .real(Double(number))
    case (.double, .floating(let number)): .real(number)
    case (.float, _), (.double, _): .real(0)
    case (_, .integer(let number)): .integer(Int64(truncatingIfNeeded: number))
    default: .integer(0)
    }
  }
}
