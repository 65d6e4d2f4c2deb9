import DflatBuffers
import DflatSchema

/// Merging tables in the same place: the one that the program has written, with what the program doesn't know of the
/// stored one.
extension ObjectMerger {
  /// Writes a table.
  ///
  /// - Parameters:
  ///   - written: The table as the program has written it.
  ///   - stored: The stored table.
  ///   - knownIndex: The table's index in the program's schema.
  ///   - index: The table's index in the newer schema.
  func merge(
    _ written: FlatBufferTable, over stored: FlatBufferTable, _ knownIndex: Int, _ index: Int,
    with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> FlatBufferOffset {
    // Past its limit, the builder records the error, and `finish` throws it.
    let isCounted = builder.descend()
    var parts: [TablePart] = []
    for field in fields[index] {
      if let knownField = known.field(field.slot, ofTable: knownIndex) {
        try merge(field, knownField, written, over: stored, to: &parts, with: &builder)
      } else {
        try copy(field, of: stored, to: &parts, with: &builder)
      }
    }
    let offset = builder.createTable(parts, of: newer.tables[index])
    if isCounted { builder.ascend() }
    return offset
  }

  /// Writes a field that the program knows: its own value, unless there is something to keep in it.
  private func merge(
    _ field: TableDefinition.Field, _ knownField: TableDefinition.Field, _ written: FlatBufferTable,
    over stored: FlatBufferTable, to parts: inout [TablePart], with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) {
    let slot = field.slot
    switch (knownField.type, field.type) {
    case (.element(.enumeration), .element(.enumeration(let index))):
      let size = newer.enums[index].base.size
      if let old = try stored.inlineBytes(slot, size: size) {
        let new = try written.inlineBytes(slot, size: size)
        // The program sees the same number, so it has not changed it.
        let isKept = known.seen(old, in: knownField) == known.seen(new, in: knownField)
        return try copy(field, of: isKept ? stored : written, to: &parts, with: &builder)
      }
    // Structs and tables are merged if both states have them.
    case (.element(.structure(let knownIndex)), .element(.structure(let index))):
      let (size, alignment) = (newer.structs[index].size, newer.structs[index].alignment)
      if let old = try stored.inlineBytes(slot, size: size), let new = try written.inlineBytes(slot, size: size),
        let bytes = merge(new, over: old, knownIndex)
      {
        parts.append(TablePart(slot, .structure(bytes, alignment: alignment)))
        return
      }
    case (.element(.table(let knownIndex)), .element(.table(let index))):
      if let old = try stored.subtable(slot), let new = try written.subtable(slot) {
        parts.append(TablePart(slot, .offset(try merge(new, over: old, knownIndex, index, with: &builder))))
        return
      }
    // Unions and vectors may have nothing to keep.
    case (.element(.union(let knownUnion)), .element(.union(let union))):
      if try mergeUnion(field, knownUnion, union, written, over: stored, to: &parts, with: &builder) { return }
    case (.vector(.union(let knownUnion)), .vector(.union(let union))):
      if try mergeUnions(field, knownUnion, union, written, over: stored, to: &parts, with: &builder) { return }
    case (.vector(let knownElement), .vector(let element)):
      if let offset = try mergeVector(field, knownElement, element, written, over: stored, with: &builder) {
        parts.append(TablePart(slot, .offset(offset)))
        return
      }
    default: break
    }
    // Nothing is kept: the program's value replaces the stored one.
    try copy(field, of: written, to: &parts, with: &builder)
  }

  /// Returns a struct's bytes with what the program doesn't know of the stored ones; nil if it knows all of them.
  private func merge(
    _ written: UnsafeRawBufferPointer, over stored: UnsafeRawBufferPointer, _ knownIndex: Int
  ) -> [UInt8]? {
    let size = known.schema.structs[knownIndex].size
    guard known.hidesParts(ofStruct: knownIndex), written.count == size, stored.count == size else { return nil }
    var bytes = Array(written)
    known.keepHiddenParts(of: stored, in: &bytes, knownIndex)
    return bytes
  }

  // MARK: Unions

  /// Writes a union. Returns false if there is nothing to keep in it.
  private func mergeUnion(
    _ field: TableDefinition.Field, _ knownUnion: Int, _ union: Int, _ written: FlatBufferTable,
    over stored: FlatBufferTable, to parts: inout [TablePart], with builder: inout FlatBufferBuilder
  ) throws(FlatBufferError) -> Bool {
    guard let (kind, old) = try stored.union(field.slot) else { return false }
    guard let (newKind, new) = try written.union(field.slot) else {
      // The program sees no value. Either it has removed the stored member, or it doesn't know it.
      guard known.member(kind, ofUnion: knownUnion) == nil else { return false }
      try copy(field, of: stored, to: &parts, with: &builder)
      return true
    }
    // A member of another kind has nothing in common with the stored one.
    guard kind == newKind else { return false }
    let value: FlatBufferOffset
    switch (known.member(kind, ofUnion: knownUnion), newer.member(kind, ofUnion: union)) {
    case (.table(let knownIndex)?, .table(let index)?):
      value = try merge(new.table(), over: old.table(), knownIndex, index, with: &builder)
    case (.structure(let knownIndex)?, .structure(let index)?):
      let layout = layouts.structs[index]
      let oldBytes = try old.structure(layout: layout).bytes
      let newBytes = try new.structure(layout: layout).bytes
      guard let bytes = merge(newBytes, over: oldBytes, knownIndex) else { return false }
      value = bytes.withUnsafeBytes { builder.create(structure: $0, alignment: layout.alignment) }
    default: return false
    }
    parts.append(TablePart(field.slot - 2, size: 1, .kind(kind)))
    parts.append(TablePart(field.slot, .offset(value)))
    return true
  }
}
