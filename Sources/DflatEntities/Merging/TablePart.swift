import DflatBuffers
import DflatSchema

/// The content of one slot of a table that is being written.
struct TablePart {
  enum Content {
    /// A scalar or a struct, in memory that outlives the table's writing.
    case borrowed(UnsafeRawBufferPointer, alignment: Int)
    /// A struct.
    case structure([UInt8], alignment: Int)
    /// The kind of a union's member.
    case kind(UInt8)
    /// A reference to an object that is written already.
    case offset(FlatBufferOffset)
  }

  let slot: Int
  /// The size by which a table's parts are ordered. Structs count as offsets, as in flatc.
  let size: Int
  let content: Content

  init(_ slot: Int, size: Int = 4, _ content: Content) {
    self.slot = slot
    self.size = size
    self.content = content
  }
}

extension FlatBufferBuilder {
  /// Writes a table from its parts, in the order of generated code: by size, the largest first, and within a size from
  /// the last slot to the first.
  mutating func createTable(_ parts: [TablePart], of definition: TableDefinition) -> FlatBufferOffset {
    startTable(slots: ((definition.fields.map(\.slot).max() ?? 2) - 2) / 2)
    let parts = parts.sorted { left, right in
      if !definition.keepsOriginalOrder, left.size != right.size { return left.size > right.size }
      return left.slot > right.slot
    }
    for part in parts { add(part) }
    return endTable()
  }

  private mutating func add(_ part: TablePart) {
    switch part.content {
    case .borrowed(let bytes, let alignment): add(structure: bytes, alignment: alignment, at: part.slot)
    case .structure(let bytes, let alignment):
      bytes.withUnsafeBytes { add(structure: $0, alignment: alignment, at: part.slot) }
    case .kind(let kind): add(UInt8?(kind), at: part.slot)
    case .offset(let offset): add(offset, at: part.slot)
    }
  }
}
