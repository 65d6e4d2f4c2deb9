import DflatBuffers
import DflatSchema

/// Writes JSON as FlatBuffers by a schema: the same bytes as `flatc --binary` makes of it when each object names its
/// fields in the order of declaration, but for a NaN that is its field's default: `flatc` writes it.
///
/// Required fields have to be there, fields that have their default value are left out, and a name that the schema does
/// not have is an error.
struct FlatBufferJSONReader: ~Copyable {
  /// Tables nested deeper than this are refused, as the verifier does.
  static let maximumDepth = FlatBufferLimits().maximumDepth

  let schema: Schema
  var builder = FlatBufferBuilder()
  private(set) var depth: Int
  /// The largest alignment of what was written, which a buffer within another's tables needs.
  private(set) var alignment = 4
  private var memberIndexes: [Int: [String: Member]] = [:]

  /// What a name in a table's object stands for: a field, or the kind of a union field.
  private enum Member {
    case value(Int)
    case kind(Int)
  }

  /// The JSON of a table's fields, by their places in its definition.
  struct TableJSON {
    var values: [JSONValue?]
    var kinds: [JSONValue?]
  }

  /// A reader for a buffer of its own, or for one that stands in another's tables.
  init(_ schema: Schema, depth: Int = 0) {
    self.schema = schema
    self.depth = depth
  }

  /// Writes a table and all that it holds.
  mutating func table(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw FlatBufferJSONFailure("tables are nested deeper than \(Self.maximumDepth) levels")
    }
    let isCounted = builder.descend()
    defer {
      if isCounted {
        builder.ascend()
      }
    }
    let definition = schema.tables[index]
    let members = try members(json, index)
    var parts: [FlatBufferPart] = []
    for (place, field) in definition.fields.enumerated() {
      let name = FlatBufferJSONFailure.Step.name(field.name)
      do {
        parts += try self.parts(field, value: members.values[place], kind: members.kinds[place])
      } catch {
        throw error.within(name)
      }
    }
    return write(parts, of: definition)
  }

  /// Finds each field's JSON; null is the same as nothing.
  private mutating func members(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> TableJSON {
    let definition = schema.tables[index]
    guard case .object(let object) = json else {
      throw FlatBufferJSONFailure("\(JSONWriter.string(json).prefix(60)) is no \(definition.name.name): use an object")
    }
    let names = memberIndex(index)
    let none = [JSONValue?](repeating: nil, count: definition.fields.count)
    var members = TableJSON(values: none, kinds: none)
    for member in object.members {
      let value = member.value == .null ? nil : member.value
      switch names[member.name] {
      case .value(let place)?: members.values[place] = value
      case .kind(let place)?: members.kinds[place] = value
      case nil:
        throw FlatBufferJSONFailure.unknownField(
          member.name, in: definition.name, fields: definition.fields.map(\.name))
      }
    }
    for (place, field) in definition.fields.enumerated()
    where field.isRequired && !field.isDeprecated && members.values[place] == nil {
      throw FlatBufferJSONFailure("the field \(quoted(field.name)) of \(definition.name.name) is required")
    }
    return members
  }

  private mutating func memberIndex(_ table: Int) -> [String: Member] {
    if let known = memberIndexes[table] {
      return known
    }
    var index: [String: Member] = [:]
    for (place, field) in schema.tables[table].fields.enumerated() {
      index[field.name] = .value(place)
      if field.type.union != nil {
        index[field.kindName] = .kind(place)
      }
    }
    memberIndexes[table] = index
    return index
  }

  /// Writes a table of parts that are there, in flatc's order, which is by size, the last field first.
  private mutating func write(_ parts: [FlatBufferPart], of definition: TableDefinition) -> FlatBufferOffset {
    builder.startTable(slots: definition.slotCount)
    let parts = parts.sorted { $0.slot > $1.slot }
    if definition.keepsOriginalOrder {
      parts.forEach { add($0) }
    } else {
      for size in [8, 4, 2, 1] {
        parts.lazy.filter { $0.size == size }.forEach { add($0) }
      }
    }
    return builder.endTable()
  }

  private mutating func add(_ part: FlatBufferPart) {
    switch part.content {
    case .scalar(let bits, let size):
      alignment = max(alignment, size)
      switch size {
      case 1: builder.add(UInt8?(UInt8(truncatingIfNeeded: bits)), at: part.slot)
      case 2: builder.add(UInt16?(UInt16(truncatingIfNeeded: bits)), at: part.slot)
      case 4: builder.add(UInt32?(UInt32(truncatingIfNeeded: bits)), at: part.slot)
      default: builder.add(UInt64?(bits), at: part.slot)
      }
    case .structure(let bytes, let structAlignment):
      alignment = max(alignment, structAlignment)
      bytes.withUnsafeBytes { builder.add(structure: $0, alignment: structAlignment, at: part.slot) }
    case .offset(let offset):
      builder.add(offset, at: part.slot)
    }
  }
}

// MARK: - Objects

extension FlatBufferJSONReader {
  /// Writes a vector of elements that are not references.
  mutating func createVector(
    _ bytes: [UInt8], count: Int, elementSize: Int, alignment elementAlignment: Int
  ) -> FlatBufferOffset {
    // As in flatc, elements that are not there need no alignment.
    let needed = count > 0 ? elementAlignment : 1
    alignment = max(alignment, needed)
    return builder.create(vectorOf: count, size: elementSize, alignment: needed) { $0.copyBytes(from: bytes) }
  }

  /// Writes a fixed struct that is referred to.
  mutating func createStruct(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    let bytes = try structure(json, index)
    alignment = max(alignment, schema.structs[index].alignment)
    return bytes.withUnsafeBytes { builder.create(structure: $0, alignment: schema.structs[index].alignment) }
  }

  /// Ends the buffer, and returns it.
  mutating func finish(_ root: FlatBufferOffset, identifier: String?) throws(FlatBufferJSONFailure) -> [UInt8] {
    do {
      try builder.finish(root, identifier: identifier)
    } catch {
      throw FlatBufferJSONFailure("the value cannot be stored: \(error)")
    }
    return builder.withFinishedBytes { Array($0) }
  }
}

extension FlatBufferJSONFailure {
  static func unknownField(_ name: String, in type: QualifiedName, fields: [String]) -> FlatBufferJSONFailure {
    let advice = fields.isEmpty ? "it has no fields" : "use \(NameList.text(fields))"
    return FlatBufferJSONFailure("\(type.name) has no field \(quoted(name)): \(advice)")
  }
}

/// What a table holds in one slot.
struct FlatBufferPart {
  enum Content {
    case scalar(ScalarBits, size: Int)
    case structure([UInt8], alignment: Int)
    case offset(FlatBufferOffset)
  }

  let slot: Int
  let content: Content

  /// The size by which the parts of a table are ordered; flatc counts structs as offsets.
  var size: Int {
    if case .scalar(_, let size) = content { size } else { 4 }
  }
}

extension TableDefinition {
  /// How many entries its vtables have at most.
  var slotCount: Int {
    (fields.map(\.slot).max() ?? 2) / 2 - 1
  }
}

extension TableDefinition.Field {
  /// The name of a union field's kind in JSON.
  var kindName: String {
    name + "_type"
  }
}

extension TableDefinition.FieldType {
  /// The union of a union field or of a vector of unions.
  var union: Int? {
    switch self {
    case .element(.union(let index)), .vector(.union(let index)): index
    default: nil
    }
  }
}
