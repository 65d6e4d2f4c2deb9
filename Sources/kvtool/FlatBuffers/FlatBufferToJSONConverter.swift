import DflatBuffers
import DflatEntities
import DflatSchema

/// Converts verified FlatBuffers to JSON by a schema, in the form of `flatc --json`: only the fields that are present,
/// or also those with a default, in declaration order; enums and union types by name.
///
/// A union value whose type the schema doesn't know is written as its type number, without a value.
struct FlatBufferToJSONConverter {
  typealias Failure = FlatBufferError

  let schema: Schema
  let layouts: SchemaLayouts
  /// True to write also the absent scalars and strings of tables that have a default.
  var writesDefaults = false
  /// True to write nested buffers as their bytes.
  var keepsNestedBuffers = false

  func json(_ table: FlatBufferTable, _ index: Int) throws(Failure) -> JSONValue {
    var members: [JSONObject.Member] = []
    for field in schema.tables[index].fields {
      if let union = field.type.union {
        members += try unionMembers(table, field, schema.unions[union])
      } else if let value = try value(table, field) {
        members.append(JSONObject.Member(name: field.name, value: value))
      }
    }
    return .object(JSONObject(inOrder: members))
  }

  /// Returns the field's value, or nil if it is absent. A scalar `key` is always written.
  private func value(_ table: FlatBufferTable, _ field: TableDefinition.Field) throws(Failure) -> JSONValue? {
    switch field.type {
    case .element(.scalar(let type)):
      return try scalar(table, field, type).map(type.json)
    case .element(.enumeration(let index)):
      // By name, or as a number that the schema lacks.
      return try scalar(table, field, schema.enums[index].base).map(schema.enums[index].json)
    case .element(.string):
      if let text = try table.string(field.slot) { return .string(text) }
      guard writesDefaults, case .string(let text) = field.defaultValue else { return nil }
      return .string(text)
    case .element(.structure(let index)):
      return try table.structure(field.slot, layout: layouts.structs[index]).map { structure throws(Failure) in
        try json(structure, index)
      }
    case .element(.table(let index)):
      return try table.subtable(field.slot).map { table throws(Failure) in try json(table, index) }
    // Unions are two members of the JSON, which the caller writes.
    case .element(.union):
      return nil
    case .vector(let element):
      // The bytes of a nested buffer are written as the table that they contain.
      if let nested = field.nestedTable, !keepsNestedBuffers {
        return try table.nestedTable(field.slot).map { table throws(Failure) in try json(table, nested) }
      }
      return try vector(table, field.slot, element).map(JSONValue.array)
    }
  }

  private func scalar(
    _ table: FlatBufferTable, _ field: TableDefinition.Field, _ type: ScalarType
  ) throws(Failure) -> StoredBits? {
    let bits: StoredBits? =
      switch type.size {
      case 1: try (table.scalar(field.slot) as UInt8?).map(StoredBits.init)
      case 2: try (table.scalar(field.slot) as UInt16?).map(StoredBits.init)
      case 4: try (table.scalar(field.slot) as UInt32?).map(StoredBits.init)
      default: try table.scalar(field.slot)
      }
    if let bits { return bits }
    let hasDefault = field.defaultValue != .null && !field.isDeprecated
    let isWritten = field.declaration.isKey || writesDefaults && hasDefault
    return isWritten ? type.defaultBits(field.defaultValue) : nil
  }
}

// MARK: - Vectors

extension FlatBufferToJSONConverter {
  private func vector(
    _ table: FlatBufferTable, _ slot: Int, _ type: TableDefinition.ElementType
  ) throws(Failure) -> [JSONValue]? {
    let vector: FlatBufferVector? =
      switch type {
      case .scalar(let type): try table.vector(slot, elementSize: type.size)
      case .enumeration(let index): try table.vector(slot, elementSize: schema.enums[index].base.size)
      case .structure(let index): try table.vector(slot, of: layouts.structs[index])
      case .string, .table, .union: try table.vectorOfOffsets(slot)
      }
    guard let vector else {
      return nil
    }
    var elements: [JSONValue] = []
    elements.reserveCapacity(vector.count)
    for place in 0..<vector.count {
      elements.append(try element(vector, place, type))
    }
    return elements
  }

  private func element(
    _ vector: FlatBufferVector, _ place: Int, _ type: TableDefinition.ElementType
  ) throws(Failure) -> JSONValue {
    switch type {
    case .scalar(let type): type.json(try scalar(vector, place, type))
    case .enumeration(let index): schema.enums[index].json(try scalar(vector, place, schema.enums[index].base))
    case .string: .string(try vector.string(at: place))
    case .structure(let index): try json(vector.structure(at: place, layout: layouts.structs[index]), index)
    case .table(let index): try json(vector.table(at: place), index)
    case .union: .null
    }
  }

  private func scalar(_ vector: FlatBufferVector, _ place: Int, _ type: ScalarType) throws(Failure) -> StoredBits {
    switch type.size {
    case 1: StoredBits(try vector.scalar(at: place) as UInt8)
    case 2: StoredBits(try vector.scalar(at: place) as UInt16)
    case 4: StoredBits(try vector.scalar(at: place) as UInt32)
    default: try vector.scalar(at: place)
    }
  }
}

// MARK: - Unions

extension FlatBufferToJSONConverter {
  private func unionMembers(
    _ table: FlatBufferTable, _ field: TableDefinition.Field, _ union: UnionDefinition
  ) throws(Failure) -> [JSONObject.Member] {
    if case .vector = field.type {
      return try unionVectorMembers(table, field, union)
    }
    guard let (kind, member) = try table.union(field.slot) else {
      return []
    }
    let kindMember = JSONObject.Member(name: field.kindName, value: union.json(kind))
    guard let value = try json(member, kind, of: union) else {
      return [kindMember]
    }
    return [kindMember, JSONObject.Member(name: field.name, value: value)]
  }

  private func unionVectorMembers(
    _ table: FlatBufferTable, _ field: TableDefinition.Field, _ union: UnionDefinition
  ) throws(Failure) -> [JSONObject.Member] {
    guard let vector = try table.vectorOfOffsets(field.slot) else {
      return []
    }
    let kindVector = try table.unionKinds(field.slot, count: vector.count)
    var kinds: [JSONValue] = []
    var values: [JSONValue] = []
    for place in 0..<vector.count {
      let kind: UInt8 = try kindVector.scalar(at: place)
      kinds.append(union.json(kind))
      values.append(kind == 0 ? .null : try json(vector.unionMember(at: place), kind, of: union) ?? .null)
    }
    return [
      JSONObject.Member(name: field.kindName, value: .array(kinds)),
      JSONObject.Member(name: field.name, value: .array(values)),
    ]
  }

  /// Returns the union's value, or nil if the schema doesn't know its type.
  private func json(
    _ member: FlatBufferUnionMember, _ kind: UInt8, of union: UnionDefinition
  ) throws(Failure) -> JSONValue? {
    switch union.member(kind)?.type {
    case .table(let index)?: try json(member.table(), index)
    case .structure(let index)?: try json(member.structure(layout: layouts.structs[index]), index)
    case .string?: .string(try member.string())
    case nil: nil
    }
  }
}

extension UnionDefinition {
  fileprivate func json(_ kind: UInt8) -> JSONValue {
    kind == 0 ? .string("NONE") : member(kind).map { .string($0.jsonName ?? $0.name) } ?? .int(Int64(kind))
  }
}

// MARK: - Structs

extension FlatBufferToJSONConverter {
  func json(_ structure: FlatBufferStruct, _ index: Int) throws(Failure) -> JSONValue {
    var members: [JSONObject.Member] = []
    for field in schema.structs[index].fields {
      let value: JSONValue
      switch field.type {
      case .element(let type):
        value = try json(structure, type, at: field.offset)
      case .array(let type, let count):
        var elements: [JSONValue] = []
        for place in 0..<count {
          elements.append(try json(structure, type, at: field.offset + place * size(type)))
        }
        value = .array(elements)
      }
      members.append(JSONObject.Member(name: field.name, value: value))
    }
    return .object(JSONObject(inOrder: members))
  }

  private func json(
    _ structure: FlatBufferStruct, _ type: StructDefinition.ElementType, at offset: Int
  ) throws(Failure) -> JSONValue {
    switch type {
    case .scalar(let type): type.json(try scalar(structure, type, at: offset))
    case .enumeration(let index): schema.enums[index].json(try scalar(structure, schema.enums[index].base, at: offset))
    case .structure(let index): try json(structure.structure(offset, layout: layouts.structs[index]), index)
    }
  }

  private func scalar(_ structure: FlatBufferStruct, _ type: ScalarType, at offset: Int) throws(Failure) -> StoredBits {
    switch type.size {
    case 1: StoredBits(try structure.scalar(offset) as UInt8)
    case 2: StoredBits(try structure.scalar(offset) as UInt16)
    case 4: StoredBits(try structure.scalar(offset) as UInt32)
    default: try structure.scalar(offset)
    }
  }

  private func size(_ type: StructDefinition.ElementType) -> Int {
    switch type {
    case .scalar(let type): type.size
    case .enumeration(let index): schema.enums[index].base.size
    case .structure(let index): schema.structs[index].size
    }
  }
}
