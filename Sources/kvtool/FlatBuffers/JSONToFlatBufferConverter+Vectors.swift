import DflatBuffers
import DflatSchema

extension JSONToFlatBufferConverter {
  /// Writes a vector of any elements except unions.
  mutating func vector(
    _ json: JSONValue, of type: TableDefinition.ElementType, _ field: TableDefinition.Field
  ) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    guard case .array(let elements) = json else {
      throw FlatBufferJSONFailure("\(shortened(JSONWriter.string(json))) is not a vector: use an array")
    }
    switch type {
    case .scalar(let scalar):
      // Scalars, enums and structs are stored in the vector itself.
      let bytes = try scalarBytes(elements, scalar)
      return createVector(bytes, elements.count, size: scalar.size, alignment: scalar.size, field)
    case .enumeration(let index):
      let definition = schema.enums[index]
      let bytes = try joined(elements) { element, bytes throws(FlatBufferJSONFailure) in
        definition.base.append(try definition.bits(element), to: &bytes)
      }
      return createVector(
        bytes, elements.count, size: definition.base.size, alignment: definition.base.size, field)
    case .structure(let index):
      return try structureVector(elements, index, field)
    case .table(let index):
      // Tables and strings are written first, and the vector has their offsets.
      var offsets: [FlatBufferOffset] = []
      for (place, element) in elements.enumerated() {
        do {
          offsets.append(try table(element, index))
        } catch {
          throw error.within(.index(place))
        }
      }
      // Readers search a vector of tables with a key by it, so it is sorted.
      let key = isSorting ? schema.tables[index].key(schema) : nil
      return builder.create(offsets: try ElementKey.sorted(offsets, by: elements, key))
    // A vector of unions has a function of its own, so this is one of strings.
    case .string, .union:
      var offsets: [FlatBufferOffset] = []
      for (place, element) in elements.enumerated() {
        do {
          offsets.append(try string(element, isShared: field.isShared))
        } catch {
          throw error.within(.index(place))
        }
      }
      return builder.create(offsets: offsets)
    }
  }

  func scalarBytes(_ elements: [JSONValue], _ type: ScalarType) throws(FlatBufferJSONFailure) -> [UInt8] {
    try joined(elements) { element, bytes throws(FlatBufferJSONFailure) in
      type.append(try type.bits(element), to: &bytes)
    }
  }

  private mutating func structureVector(
    _ elements: [JSONValue], _ index: Int, _ field: TableDefinition.Field
  ) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    let definition = schema.structs[index]
    let sorted = try ElementKey.sorted(elements, by: elements, isSorting ? definition.key(schema) : nil)
    let bytes = try joined(sorted) { element, bytes throws(FlatBufferJSONFailure) in
      bytes += try structure(element, index)
    }
    return createVector(bytes, elements.count, size: definition.size, alignment: definition.alignment, field)
  }

  private mutating func createVector(
    _ bytes: [UInt8], _ count: Int, size: Int, alignment: Int, _ field: TableDefinition.Field
  ) -> FlatBufferOffset {
    createVector(bytes, count: count, elementSize: size, alignment: max(alignment, field.forcedAlignment ?? 1))
  }

  /// Returns the concatenated bytes of the elements.
  private func joined(
    _ elements: [JSONValue], _ append: (JSONValue, inout [UInt8]) throws(FlatBufferJSONFailure) -> Void
  ) throws(FlatBufferJSONFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, element) in elements.enumerated() {
      do {
        try append(element, &bytes)
      } catch {
        throw error.within(.index(index))
      }
    }
    return bytes
  }
}

// MARK: - Structs

extension JSONToFlatBufferConverter {
  /// Returns the bytes of a fixed struct. All fields must be present; padding is zero.
  func structure(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> [UInt8] {
    let definition = schema.structs[index]
    guard case .object(let object) = json else {
      throw FlatBufferJSONFailure(
        "\(shortened(JSONWriter.string(json))) is not a valid \(definition.name.name): use an object")
    }
    // Refuse names that the struct lacks, which may be misspelled.
    for member in object.members where !definition.fields.contains(where: { $0.name == member.name }) {
      throw FlatBufferJSONFailure.unknownField(member.name, in: definition.name, fields: definition.fields.map(\.name))
    }
    var bytes: [UInt8] = []
    // Write the fields in their order.
    for field in definition.fields {
      guard let value = object[field.name] else {
        throw FlatBufferJSONFailure("the field \(quoted(field.name)) of \(definition.name.name) is missing")
      }
      // Pad to the alignment of the field.
      bytes += [UInt8](repeating: 0, count: field.offset - bytes.count)
      do {
        try append(value, field.type, to: &bytes)
      } catch {
        throw error.within(.name(field.name))
      }
    }
    return bytes + [UInt8](repeating: 0, count: definition.size - bytes.count)
  }

  private func append(
    _ json: JSONValue, _ type: StructDefinition.FieldType, to bytes: inout [UInt8]
  ) throws(FlatBufferJSONFailure) {
    switch type {
    case .element(let element):
      try append(json, element, to: &bytes)
    case .array(let element, let count):
      guard case .array(let values) = json, values.count == count else {
        throw FlatBufferJSONFailure("\(shortened(JSONWriter.string(json))) is not an array of \(count)")
      }
      bytes += try joined(values) { value, bytes throws(FlatBufferJSONFailure) in
        try append(value, element, to: &bytes)
      }
    }
  }

  private func append(
    _ json: JSONValue, _ type: StructDefinition.ElementType, to bytes: inout [UInt8]
  ) throws(FlatBufferJSONFailure) {
    switch type {
    case .scalar(let scalar): scalar.append(try scalar.bits(json), to: &bytes)
    case .enumeration(let index): schema.enums[index].base.append(try schema.enums[index].bits(json), to: &bytes)
    case .structure(let index): bytes += try structure(json, index)
    }
  }
}
