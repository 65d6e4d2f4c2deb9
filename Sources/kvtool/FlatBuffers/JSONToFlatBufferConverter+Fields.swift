import DflatBuffers
import DflatSchema

extension JSONToFlatBufferConverter {
  /// Writes the objects that a field refers to, and returns the parts to store in the table itself. Returns none for a
  /// field that is absent or has its default value.
  mutating func parts(
    _ field: TableDefinition.Field, value: JSONValue?, kind: JSONValue?
  ) throws(FlatBufferJSONFailure) -> [FlatBufferPart] {
    // A union or a vector of unions has two members, and may be invalid without a value.
    if let union = field.type.union {
      return try unionParts(field, schema.unions[union], value: value, kind: kind)
    }
    guard let value else {
      return []
    }
    switch field.type {
    case .element(.scalar(let type)):
      return scalarParts(field, type, try type.bits(value))
    case .element(.enumeration(let index)):
      return scalarParts(field, schema.enums[index].base, try schema.enums[index].bits(value))
    // A struct is stored in the table itself.
    case .element(.structure(let index)):
      let bytes = try structure(value, index)
      let alignment = schema.structs[index].alignment
      return [FlatBufferPart(slot: field.slot, content: .structure(bytes, alignment: alignment))]
    // Strings and tables are written before the table that refers to them.
    case .element(let type):
      return [FlatBufferPart(slot: field.slot, content: .offset(try object(value, type, isShared: field.isShared)))]
    case .vector(let element):
      let offset: FlatBufferOffset
      if let nested = field.nestedTable {
        offset = try nestedBuffer(value, nested)
      } else {
        offset = try vector(value, of: element, field)
      }
      return [FlatBufferPart(slot: field.slot, content: .offset(offset))]
    }
  }

  private func scalarParts(
    _ field: TableDefinition.Field, _ type: ScalarType, _ bits: StoredBits
  ) -> [FlatBufferPart] {
    let isDefault = field.defaultValue != .null && type.isSame(bits, type.defaultBits(field.defaultValue))
    return isDefault ? [] : [FlatBufferPart(slot: field.slot, content: .scalar(bits, size: type.size))]
  }

  /// Writes a string or a table.
  private mutating func object(
    _ json: JSONValue, _ type: TableDefinition.ElementType, isShared: Bool
  ) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    if case .table(let index) = type {
      return try table(json, index)
    }
    return try string(json, isShared: isShared)
  }

  mutating func string(_ json: JSONValue, isShared: Bool) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    guard case .string(let text) = json else {
      throw FlatBufferJSONFailure("\(shortened(JSONWriter.string(json))) is not a string: use text in double quotes")
    }
    return builder.create(text, shared: isShared)
  }

  /// Writes a nested buffer, given as its root object or as bytes.
  private mutating func nestedBuffer(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> FlatBufferOffset
  {
    if case .array(let elements) = json {
      // Use the widest alignment that the content may require.
      return createVector(try scalarBytes(elements, .ubyte), count: elements.count, elementSize: 1, alignment: 8)
    }
    var inner = JSONToFlatBufferConverter(schema, depth: depth)
    let root = try inner.table(json, index)
    let bytes = try inner.finish(root, identifier: nil)
    return createVector(bytes, count: bytes.count, elementSize: 1, alignment: inner.alignment)
  }
}

// MARK: - Unions

extension JSONToFlatBufferConverter {
  private mutating func unionParts(
    _ field: TableDefinition.Field, _ union: UnionDefinition, value: JSONValue?, kind: JSONValue?
  ) throws(FlatBufferJSONFailure) -> [FlatBufferPart] {
    if case .vector = field.type {
      return try unionVectorParts(field, union, value: value, kinds: kind)
    }
    guard let kind = try kind.map({ json throws(FlatBufferJSONFailure) in try union.kind(json) }), kind != 0 else {
      guard value == nil else {
        throw FlatBufferJSONFailure("its kind is missing: add \(quoted(field.kindName)), \(union.advice)")
      }
      return []
    }
    guard let value else {
      throw FlatBufferJSONFailure("it is missing, but \(quoted(field.kindName)) says that it exists")
    }
    let offset = try member(value, kind, of: union, isShared: field.isShared)
    return [
      FlatBufferPart(slot: field.slot - 2, content: .scalar(StoredBits(kind), size: 1)),
      FlatBufferPart(slot: field.slot, content: .offset(offset)),
    ]
  }

  private mutating func unionVectorParts(
    _ field: TableDefinition.Field, _ union: UnionDefinition, value: JSONValue?, kinds: JSONValue?
  ) throws(FlatBufferJSONFailure) -> [FlatBufferPart] {
    // The kinds and the members are two arrays of the same length.
    guard value != nil || kinds != nil else {
      return []
    }
    guard case .array(let elements)? = value, case .array(let names)? = kinds, elements.count == names.count else {
      throw FlatBufferJSONFailure(
        "a vector of unions must be two arrays of the same length, \(quoted(field.name)) and \(quoted(field.kindName))")
    }
    // Write the kinds, then the members, each by its kind.
    var kinds: [UInt8] = []
    for (index, name) in names.enumerated() {
      do {
        kinds.append(try union.kindInVector(name))
      } catch {
        throw error.within(.index(index))
      }
    }
    let kindVector = createVector(kinds, count: kinds.count, elementSize: 1, alignment: 1)
    var offsets: [FlatBufferOffset] = []
    for (index, element) in elements.enumerated() {
      do {
        offsets.append(try member(element, kinds[index], of: union, isShared: field.isShared))
      } catch {
        throw error.within(.index(index))
      }
    }
    // The field of the kinds precedes the field of the members.
    return [
      FlatBufferPart(slot: field.slot - 2, content: .offset(kindVector)),
      FlatBufferPart(slot: field.slot, content: .offset(builder.create(offsets: offsets))),
    ]
  }

  private mutating func member(
    _ json: JSONValue, _ kind: UInt8, of union: UnionDefinition, isShared: Bool
  ) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    switch union.member(kind)?.type {
    case .table(let index)?: return try table(json, index)
    case .structure(let index)?:
      return try createStruct(json, index)
    case .string?: return try string(json, isShared: isShared)
    case nil: throw FlatBufferJSONFailure("\(union.name.name) has no kind \(kind)")
    }
  }
}

extension UnionDefinition {
  func member(_ kind: UInt8) -> Member? {
    members.first { $0.kind == kind }
  }

  /// Returns the type number for a name or a number; 0 for `NONE`.
  fileprivate func kind(_ json: JSONValue) throws(FlatBufferJSONFailure) -> UInt8 {
    switch json {
    case .string("NONE"), .int(0): return 0
    case .string(let name):
      // Another member's name in JSON may be this one's name in the schema.
      let member = members.first { ($0.jsonName ?? $0.name) == name } ?? members.first { $0.name == name }
      if let member {
        return member.kind
      }
    case .int(let number):
      if let kind = UInt8(exactly: number), member(kind) != nil {
        return kind
      }
    default: break
    }
    throw FlatBufferJSONFailure("\(shortened(JSONWriter.string(json))) is not a kind of \(name.name): \(advice)")
  }

  fileprivate func kindInVector(_ json: JSONValue) throws(FlatBufferJSONFailure) -> UInt8 {
    let kind = try kind(json)
    guard kind != 0 else {
      throw FlatBufferJSONFailure("NONE is not allowed in a vector: \(advice)")
    }
    return kind
  }

  fileprivate var advice: String {
    "use \(NameList.text(members.map { $0.jsonName ?? $0.name }))"
  }
}
