import DflatBuffers
import DflatSchema

/// The content of a part of a buffer that a program sees, as bytes: two parts are the same to the program if these are.
struct KnownContent: Hashable {
  private var bytes: [UInt8] = []

  /// Appends the lower bytes of a number that is always there: an element of a vector, or a part of a struct.
  fileprivate mutating func append(_ bits: UInt64, size: Int) {
    withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0[..<size]) }
  }

  /// Appends a number, or null.
  fileprivate mutating func append(_ number: UInt64?) {
    guard let number else { return bytes.append(0) }
    bytes.append(1)
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends bytes or an absence. The count precedes the bytes, so that no two sequences of parts give the same
  /// content.
  fileprivate mutating func append(bytes other: UnsafeRawBufferPointer?) {
    append(other.map { UInt64($0.count) })
    if let other { bytes.append(contentsOf: other) }
  }

  /// Appends the elements of a vector, after their number.
  fileprivate mutating func append(elements: UnsafeRawBufferPointer) { bytes.append(contentsOf: elements) }
}

extension KnownSchema {
  /// Returns what the program sees of a table, or of its `key` if it has one.
  func identity(
    of table: FlatBufferTable, _ index: Int, key: TableDefinition.Field?
  ) throws(FlatBufferError) -> KnownContent {
    var content = KnownContent()
    if let key {
      try append(key, of: table, to: &content)
    } else {
      try append(table, index, to: &content)
    }
    return content
  }

  /// Returns true if the program sees a table's `key` as it is. It sees an enum's number that it doesn't know as the
  /// default.
  func isKnown(_ key: TableDefinition.Field, of table: FlatBufferTable) throws(FlatBufferError) -> Bool {
    guard case .element(.enumeration(let index)) = key.type,
      let bytes = try table.inlineBytes(key.slot, size: schema.enums[index].base.size)
    else { return true }
    return isKnown(bytes.scalarBits, inEnum: index)
  }

  /// Returns what the program sees of a struct.
  func identity(of structure: UnsafeRawBufferPointer, _ index: Int) -> KnownContent {
    var content = KnownContent()
    append(structure, index, to: &content)
    return content
  }

  /// Returns what the program sees of a union's value.
  ///
  /// - Parameters:
  ///   - type: The member's type in the program's schema.
  ///   - key: The `key` of the member's table, if it has one.
  func identity(
    of member: FlatBufferUnionMember, _ kind: UInt8, _ type: UnionDefinition.MemberType, key: TableDefinition.Field?
  ) throws(FlatBufferError) -> KnownContent {
    var content = KnownContent()
    content.append(UInt64(kind))
    if let key, case .table = type {
      try append(key, of: member.table(), to: &content)
    } else {
      try append(member, type, to: &content)
    }
    return content
  }

  // MARK: Tables

  private func append(_ table: FlatBufferTable, _ index: Int, to content: inout KnownContent) throws(FlatBufferError) {
    for field in fields[index] { try append(field, of: table, to: &content) }
  }

  private func append(
    _ field: TableDefinition.Field, of table: FlatBufferTable, to content: inout KnownContent
  ) throws(FlatBufferError) {
    let slot = field.slot
    switch field.type {
    // An absent scalar, enum or string has the same content as a stored default.
    case .element(.scalar(let type)):
      content.append(seen(try table.inlineBytes(slot, size: type.size), in: field))
    case .element(.enumeration(let index)):
      content.append(seen(try table.inlineBytes(slot, size: schema.enums[index].base.size), in: field))
    case .element(.string):
      if let text = try table.bytes(slot) {
        content.append(bytes: text)
      } else if case .string(var text) = field.defaultValue {
        text.withUTF8 { content.append(bytes: UnsafeRawBufferPointer($0)) }
      } else {
        content.append(bytes: nil)
      }
    // A struct or a table is preceded by a mark, which distinguishes an absent one from an empty one.
    case .element(.structure(let index)):
      let bytes = try table.inlineBytes(slot, size: schema.structs[index].size)
      content.append(bytes == nil ? nil : 1)
      if let bytes { append(bytes, index, to: &content) }
    case .element(.table(let index)):
      let child = try table.subtable(slot)
      content.append(child == nil ? nil : 1)
      if let child { try append(child, index, to: &content) }
    case .element(.union(let index)):
      // A member that the program doesn't know looks like no value.
      guard let (kind, member) = try table.union(slot), let type = self.member(kind, ofUnion: index) else {
        return content.append(nil)
      }
      content.append(UInt64(kind))
      try append(member, type, to: &content)
    // A vector adds the content of each element.
    case .vector(.union(let index)):
      try append(unions: slot, index, of: table, to: &content)
    case .vector(let element):
      try append(vector: slot, of: element, in: table, to: &content)
    }
  }

  private func append(
    _ member: FlatBufferUnionMember, _ type: UnionDefinition.MemberType, to content: inout KnownContent
  ) throws(FlatBufferError) {
    switch type {
    case .table(let index): try append(member.table(), index, to: &content)
    case .structure(let index):
      let layout = StructLayout("", size: schema.structs[index].size, alignment: schema.structs[index].alignment)
      append(try member.structure(layout: layout).bytes, index, to: &content)
    case .string: content.append(bytes: try member.text())
    }
  }

  // MARK: Vectors. To the program, an absent one equals an empty one

  private func append(
    vector slot: Int, of element: TableDefinition.ElementType, in table: FlatBufferTable,
    to content: inout KnownContent
  ) throws(FlatBufferError) {
    let size = schema.size(of: element)
    let vector = try table.vector(slot, elementSize: size)
    content.append(UInt64(vector?.count ?? 0))
    guard let vector else { return }
    if case .scalar(let type) = element, type != .bool { return content.append(elements: vector.bytes) }
    for index in 0..<vector.count {
      switch element {
      case .scalar: content.append(vector.element(at: index, size: size).scalarBits == 0 ? 0 : 1, size: size)
      case .enumeration(let type):
        content.append(seen(vector.element(at: index, size: size).scalarBits, ofEnum: type), size: size)
      case .string: content.append(bytes: try vector.text(at: index))
      case .structure(let type): append(vector.element(at: index, size: size), type, to: &content)
      case .table(let type): try append(vector.table(at: index), type, to: &content)
      case .union: break
      }
    }
  }

  private func append(
    unions slot: Int, _ union: Int, of table: FlatBufferTable, to content: inout KnownContent
  ) throws(FlatBufferError) {
    // The program skips elements that it doesn't know, so their number means nothing. Null marks the end.
    defer { content.append(nil) }
    guard let vector = try table.vectorOfOffsets(slot) else { return }
    let kinds = try table.unionKinds(slot, count: vector.count)
    for index in 0..<vector.count {
      let kind: UInt8 = try kinds.scalar(at: index)
      guard let type = member(kind, ofUnion: union) else { continue }
      content.append(UInt64(kind))
      try append(vector.unionMember(at: index), type, to: &content)
    }
  }

  // MARK: Structs

  /// Appends the members without padding, which has no meaning.
  private func append(_ bytes: UnsafeRawBufferPointer, _ structure: Int, to content: inout KnownContent) {
    for field in schema.structs[structure].fields where !field.isDeprecated {
      let element = field.type.element
      let size = schema.size(of: element)
      for place in 0..<field.type.count {
        let start = field.offset + place * size
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
        switch element {
        case .scalar(let type): content.append(type == .bool && part.scalarBits != 0 ? 1 : part.scalarBits, size: size)
        case .enumeration(let index): content.append(seen(part.scalarBits, ofEnum: index), size: size)
        case .structure(let index): append(part, index, to: &content)
        }
      }
    }
  }
}

extension FlatBufferVector {
  /// Returns the bytes of a scalar or a struct at an index.
  func element(at index: Int, size: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[index * size..<(index + 1) * size])
  }
}

extension Schema {
  /// Returns the size of a vector's element: of an offset for those that the vector refers to.
  func size(of element: TableDefinition.ElementType) -> Int {
    switch element {
    case .scalar(let type): type.size
    case .enumeration(let index): enums[index].base.size
    case .structure(let index): structs[index].size
    case .string, .table, .union: 4
    }
  }
}
