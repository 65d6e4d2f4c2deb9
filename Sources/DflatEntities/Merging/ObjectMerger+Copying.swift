import DflatBuffers
import DflatSchema

/// Copying by the newer schema, of what the program doesn't know and of what it has made anew. A buffer of the
/// program's own schema is one of the newer schema too.
extension ObjectMerger {
  /// Copies a table and everything in it.
  func copy(
    _ table: FlatBufferTable, _ index: Int, with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset {
    let part = CopiedPart(table.address, .table(index))
    if let offset = location(of: part) { return offset }
    // Past its limit, the builder records the error, and `finish` throws it.
    let isCounted = builder.descend()
    var parts: [TablePart] = []
    for field in fields[index] { try copy(field, of: table, to: &parts, with: &builder) }
    let offset = builder.createTable(parts, of: newer.tables[index])
    if isCounted { builder.ascend() }
    note(offset, of: part)
    return offset
  }

  /// Copies a field of a table, if it is present.
  func copy(
    _ field: TableDefinition.Field, of table: FlatBufferTable, to parts: inout [TablePart],
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) {
    let slot = field.slot
    switch field.type {
    // Scalars and structs are stored in the table itself.
    case .element(.scalar(let type)):
      try copyScalar(slot, size: type.size, of: table, to: &parts)
    case .element(.enumeration(let index)):
      try copyScalar(slot, size: newer.enums[index].base.size, of: table, to: &parts)
    case .element(.structure(let index)):
      guard let bytes = try table.inlineBytes(slot, size: newer.structs[index].size) else { return }
      parts.append(TablePart(slot, .borrowed(bytes, alignment: newer.structs[index].alignment)))
    // Strings, tables and vectors are written first, and the table refers to them.
    case .element(.string):
      guard let text = try table.bytes(slot) else { return }
      parts.append(TablePart(slot, .offset(copy(text, shared: field.isShared, with: &builder))))
    case .element(.table(let index)):
      guard let child = try table.subtable(slot) else { return }
      parts.append(TablePart(slot, .offset(try copy(child, index, with: &builder))))
    case .element(.union(let index)):
      guard let (kind, member) = try table.union(slot), let type = newer.member(kind, ofUnion: index) else { return }
      // The kind has the slot before the member's.
      parts.append(TablePart(slot - 2, size: 1, .kind(kind)))
      parts.append(TablePart(slot, .offset(try copy(member, type, with: &builder))))
    case .vector(.union(let index)):
      try copyUnions(field, index, of: table, to: &parts, with: &builder)
    case .vector(let element):
      guard let offset = try copyVector(field, of: element, in: table, with: &builder) else { return }
      parts.append(TablePart(slot, .offset(offset)))
    }
  }

  private func copyScalar(
    _ slot: Int, size: Int, of table: FlatBufferTable, to parts: inout [TablePart]
  ) throws(FlatBufferError) {
    guard let bytes = try table.inlineBytes(slot, size: size) else { return }
    parts.append(TablePart(slot, size: size, .borrowed(bytes, alignment: size)))
  }

  /// Copies the value of a union.
  func copy(
    _ member: FlatBufferUnionMember, _ type: UnionDefinition.MemberType, with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset {
    switch type {
    case .table(let index): return try copy(member.table(), index, with: &builder)
    case .structure(let index):
      let bytes = try member.structure(layout: layouts.structs[index]).bytes
      let part = CopiedPart(bytes.baseAddress, .structure(index))
      if let offset = location(of: part) { return offset }
      let offset = builder.create(structure: bytes, alignment: newer.structs[index].alignment)
      note(offset, of: part)
      return offset
    case .string: return copy(try member.text(), shared: false, with: &builder)
    }
  }

  private func copy(
    _ text: UnsafeRawBufferPointer, shared: Bool, with builder: inout FlatBufferBuilder
  ) -> FlatBufferOffset {
    // The builder itself writes equal texts of such fields once.
    if shared { return builder.create(utf8: text, shared: true) }
    let part = CopiedPart(text.baseAddress, .text)
    if let offset = location(of: part) { return offset }
    let offset = builder.create(utf8: text)
    note(offset, of: part)
    return offset
  }

  // MARK: Vectors

  /// Copies a vector of anything but unions. Returns nil if it is absent.
  private func copyVector(
    _ field: TableDefinition.Field, of element: TableDefinition.ElementType, in table: FlatBufferTable,
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset? {
    if let nested = field.nestedTable {
      guard let bytes = try table.bytes(field.slot) else { return nil }
      // The alignment of everything that the nested buffer may contain, except for what has a larger one by force.
      let alignment = max(field.forcedAlignment ?? 1, 8)
      let part = CopiedPart(bytes.baseAddress, .nested(nested, alignment: alignment))
      if let offset = location(of: part) { return offset }
      let offset = builder.create(nested: Array(bytes), alignment: alignment, of: layouts.table(nested))
      note(offset, of: part)
      return offset
    }
    // An object to which several fields refer is copied once.
    guard let vector = try table.vector(field.slot, elementSize: newer.size(of: element)) else { return nil }
    let part = CopiedPart(vector.bytes.baseAddress, .vector(element, alignment: field.forcedAlignment ?? 1))
    if let offset = location(of: part) { return offset }
    let offset: FlatBufferOffset
    // Copy the elements: in place, or each with what it refers to.
    switch element {
    case .scalar, .enumeration, .structure:
      offset = createVector(vector.bytes, count: vector.count, of: element, field, with: &builder)
    case .string:
      var offsets: [FlatBufferOffset] = []
      for index in 0..<vector.count {
        offsets.append(copy(try vector.text(at: index), shared: field.isShared, with: &builder))
      }
      offset = builder.create(offsets: offsets)
    case .table(let type):
      var offsets: [FlatBufferOffset] = []
      for index in 0..<vector.count { offsets.append(try copy(vector.table(at: index), type, with: &builder)) }
      offset = builder.create(offsets: offsets)
    case .union: return nil
    }
    note(offset, of: part)
    return offset
  }

  /// Writes a vector of scalars or structs.
  func createVector(
    _ bytes: UnsafeRawBufferPointer, count: Int, of element: TableDefinition.ElementType,
    _ field: TableDefinition.Field, with builder: inout FlatBufferBuilder
  ) -> FlatBufferOffset {
    let size = newer.size(of: element)
    var alignment = size
    if case .structure(let index) = element { alignment = newer.structs[index].alignment }
    return builder.create(
      vectorOf: count, size: size, alignment: max(alignment, field.forcedAlignment ?? 1)
    ) { $0.copyMemory(from: bytes) }
  }

  private func copyUnions(
    _ field: TableDefinition.Field, _ union: Int, of table: FlatBufferTable, to parts: inout [TablePart],
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) {
    guard let vector = try table.vectorOfOffsets(field.slot) else { return }
    let kinds = try table.unionKinds(field.slot, count: vector.count)
    let (kindsAddress, valuesAddress) = (kinds.bytes.baseAddress, vector.bytes.baseAddress)
    let kindsPart = CopiedPart(kindsAddress, .kinds(ofUnion: union, values: valuesAddress))
    let valuesPart = CopiedPart(valuesAddress, .values(ofUnion: union, kinds: kindsAddress))
    if let kinds = location(of: kindsPart), let values = location(of: valuesPart) {
      parts.append(TablePart(field.slot - 2, .offset(kinds)))
      parts.append(TablePart(field.slot, .offset(values)))
      return
    }
    let elements = try unions(field.slot, of: table, union)
    let written = try write(elements.map { UnionSource.copied($0) }, field, to: &parts, with: &builder)
    note(written.kinds, of: kindsPart)
    note(written.values, of: valuesPart)
  }

  /// Returns the elements of a vector of unions, without those that the newer schema doesn't know: no program reads
  /// them.
  func unions(_ slot: Int, of table: FlatBufferTable, _ union: Int) throws(FlatBufferError) -> [UnionElement] {
    guard let vector = try table.vectorOfOffsets(slot) else { return [] }
    let kinds = try table.unionKinds(slot, count: vector.count)
    var elements: [UnionElement] = []
    for index in 0..<vector.count {
      let kind: UInt8 = try kinds.scalar(at: index)
      guard let type = newer.member(kind, ofUnion: union) else { continue }
      elements.append(UnionElement(kind: kind, type: type, member: try vector.unionMember(at: index)))
    }
    return elements
  }
}

/// An element of a vector of unions.
struct UnionElement {
  let kind: UInt8
  /// The member's type in the newer schema.
  let type: UnionDefinition.MemberType
  let member: FlatBufferUnionMember
}

/// The source of an element of a vector of unions that is being written.
enum UnionSource {
  case copied(UnionElement)
  /// A table that the program has written, over the stored one, with their indices in the two schemas.
  case merged(UnionElement, over: UnionElement, known: Int, newer: Int)

  var kind: UInt8 {
    switch self {
    case .copied(let element), .merged(let element, _, _, _): element.kind
    }
  }
}

extension ObjectMerger {
  /// Writes a vector of unions: their kinds, then their values. Returns the locations of both.
  @discardableResult
  func write(
    _ sources: [UnionSource], _ field: TableDefinition.Field, to parts: inout [TablePart],
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> (kinds: FlatBufferOffset, values: FlatBufferOffset) {
    let kinds = builder.create(vector: sources.map(\.kind))
    var elements: [FlatBufferOffset] = []
    for source in sources {
      switch source {
      case .copied(let element): elements.append(try copy(element.member, element.type, with: &builder))
      case .merged(let element, let stored, let known, let newer):
        elements.append(try merge(element.member.table(), over: stored.member.table(), known, newer, with: &builder))
      }
    }
    builder.count(unions: elements.count)
    let values = builder.create(offsets: elements)
    parts.append(TablePart(field.slot - 2, .offset(kinds)))
    parts.append(TablePart(field.slot, .offset(values)))
    return (kinds, values)
  }
}

extension Schema {
  /// Returns the type of a union's member; nil if there is none.
  func member(_ kind: UInt8, ofUnion union: Int) -> UnionDefinition.MemberType? {
    unions[union].members.first { $0.kind == kind }?.type
  }
}
