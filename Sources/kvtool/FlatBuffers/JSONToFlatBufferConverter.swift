import DflatBuffers
import DflatSchema

/// Converts JSON to FlatBuffers by a schema. If each object names its fields in declaration order, the bytes equal
/// those of `flatc --binary`, except that `flatc` writes a NaN even where it is the field's default.
///
/// Required fields must be present, fields with their default value are left out, and a name that isn't in the schema
/// is an error.
struct JSONToFlatBufferConverter: ~Copyable {
  /// The maximum nesting of tables, the same as the verifier's. Deeper ones are refused.
  static let maximumDepth = FlatBufferLimits().maximumDepth

  let schema: Schema
  var builder = FlatBufferBuilder()
  private(set) var depth: Int
  /// The largest alignment written so far, which a nested buffer requires of the enclosing one.
  private(set) var alignment = 4
  private var memberIndexes: [Int: [String: Member]] = [:]

  private let sortsVectors: (_ rootField: String) -> Bool
  /// True while vectors are sorted by the keys of their elements.
  private(set) var isSorting = true

  /// The meaning of a name in a table's object: a field, or the type of a union field.
  private enum Member {
    case value(Int)
    case kind(Int)
  }

  /// The JSON of a table's fields, by their positions in its definition.
  struct TableJSON {
    var values: [JSONValue?]
    var kinds: [JSONValue?]
  }

  /// Creates a reader for a separate buffer, or for one nested in another buffer's tables.
  ///
  /// - Parameters:
  ///   - schema: The schema.
  ///   - depth: The number of tables around the buffer.
  ///   - sortsVectors: Returns true for the root's fields whose vectors, at any depth, are sorted by the keys of their
  ///     elements. The others keep the order of the JSON.
  init(
    _ schema: Schema, depth: Int = 0, sortingVectorsOf sortsVectors: @escaping (String) -> Bool = { _ in true }
  ) {
    self.schema = schema
    self.depth = depth
    self.sortsVectors = sortsVectors
  }

  /// Writes a table and everything it contains.
  mutating func table(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    // Bound the recursion, and let the builder count the levels of the buffer.
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
    // Write everything that the fields refer to, then the table: an object can only refer to written ones.
    let definition = schema.tables[index]
    let members = try members(json, index)
    var parts: [FlatBufferPart] = []
    for (place, field) in definition.fields.enumerated() {
      let name = FlatBufferJSONFailure.Step.name(field.name)
      if depth == 1 { isSorting = sortsVectors(field.name) }
      do {
        parts += try self.parts(field, value: members.values[place], kind: members.kinds[place])
      } catch {
        throw error.within(name)
      }
    }
    return write(parts, of: definition)
  }

  /// Finds the JSON of each field. Null counts as absent.
  private mutating func members(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> TableJSON {
    let definition = schema.tables[index]
    guard case .object(let object) = json else {
      throw FlatBufferJSONFailure(
        "\(shortened(JSONWriter.string(json))) is not a valid \(definition.name.name): use an object")
    }
    // Look up names in an index: a table may have thousands of fields.
    let names = memberIndex(index)
    let none = [JSONValue?](repeating: nil, count: definition.fields.count)
    var members = TableJSON(values: none, kinds: none)
    for member in object.members {
      // A member is the value of a field, or the kind of its union.
      let value = member.value == .null ? nil : member.value
      switch names[member.name] {
      case .value(let place)?: members.values[place] = value
      case .kind(let place)?: members.kinds[place] = value
      case nil:
        throw FlatBufferJSONFailure.unknownField(member.name, in: definition.name, fields: definition.memberNames)
      }
    }
    // flatc, too, refuses an object without a required field.
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

  /// Writes a table from its parts in flatc's order: by size, last field first.
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

extension JSONToFlatBufferConverter {
  /// Writes a vector of inline elements.
  mutating func createVector(
    _ bytes: [UInt8], count: Int, elementSize: Int, alignment elementAlignment: Int
  ) -> FlatBufferOffset {
    // As in flatc, an empty vector needs no alignment for its elements.
    let needed = count > 0 ? elementAlignment : 1
    alignment = max(alignment, needed)
    return builder.create(vectorOf: count, size: elementSize, alignment: needed) { $0.copyBytes(from: bytes) }
  }

  /// Writes a fixed struct that an offset refers to.
  mutating func createStruct(_ json: JSONValue, _ index: Int) throws(FlatBufferJSONFailure) -> FlatBufferOffset {
    let bytes = try structure(json, index)
    alignment = max(alignment, schema.structs[index].alignment)
    return bytes.withUnsafeBytes { builder.create(structure: $0, alignment: schema.structs[index].alignment) }
  }

  /// Finishes the buffer and returns its bytes.
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
    FlatBufferJSONFailure(
      "\(type.name) has no field \(quoted(name)): \(NameList.advice(insteadOf: name, fields: fields))",
      isOfUnknownField: true)
  }
}

/// The content of one slot of a table.
struct FlatBufferPart {
  enum Content {
    case scalar(StoredBits, size: Int)
    case structure([UInt8], alignment: Int)
    case offset(FlatBufferOffset)
  }

  let slot: Int
  let content: Content

  /// The size by which a table's parts are ordered. flatc treats structs like offsets.
  var size: Int {
    if case .scalar(_, let size) = content { size } else { 4 }
  }
}

extension TableDefinition {
  /// The names of members in the JSON of a table: those of fields that programs see, and of unions' kinds.
  var memberNames: [String] {
    fields.filter { !$0.isDeprecated }.flatMap { $0.type.union == nil ? [$0.name] : [$0.kindName, $0.name] }
  }

  /// The maximum number of entries in the vtables of this type.
  var slotCount: Int {
    (fields.map(\.slot).max() ?? 2) / 2 - 1
  }
}

extension TableDefinition.Field {
  /// The JSON name of a union field's type.
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
