import DflatEntities
import DflatSchema

extension SchemaType {
  /// The storage description of the root type's objects, which the file doesn't contain. Nil for a type that isn't an
  /// entity.
  var entity: EntitySchema? {
    guard case .table(let index) = root else { return nil }
    let table = schema.tables[index]
    let key = table.fields.filter { $0.isPrimary && !$0.isDeprecated }.compactMap { field in
      leaf(of: field).map { EntityField(field.name, FieldPath($0)) }
    }
    if key.isEmpty { return nil }
    let text = SchemaText.of(table: index, in: schema)
    return EntitySchema(EntityDescription(table.entityTable, primaryKey: key, schema: text), layouts.table(index))
  }

  /// Returns a key field in the form that its column stores: an enum by its number.
  private func leaf(of field: TableDefinition.Field) -> FieldPath.Leaf? {
    switch field.type {
    case .element(.scalar(let type)):
      return .scalar(field.slot, type.queryType, default: type.value(of: field.defaultValue))
    case .element(.enumeration(let index)):
      let base = schema.enums[index].base
      return .scalar(field.slot, base.queryType, default: base.value(of: field.defaultValue))
    case .element(.string):
      if case .string(let text) = field.defaultValue { return .string(field.slot, default: text) }
      return .string(field.slot)
    default: return nil
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

  fileprivate func value(of standard: TableDefinition.DefaultValue) -> QueryValue {
    switch (self, standard) {
    case (_, .null): return .null
    case (.ulong, .integer(let number)): return .unsigned(UInt64(truncatingIfNeeded: number))
    case (.ulong, _): return .unsigned(0)
    case (.float, .integer(let number)): return .real(Double(Float(number)))
    case (.float, .floating(let number)): return .real(Double(Float(number)))
    case (.double, .integer(let number)): return .real(Double(number))
    case (.double, .floating(let number)): return .real(number)
    case (.float, _), (.double, _): return .real(0)
    case (_, .integer(let number)): return .integer(Int64(truncatingIfNeeded: number))
    default: return .integer(0)
    }
  }
}
