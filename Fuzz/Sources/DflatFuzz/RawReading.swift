import DflatBuffers

/// Calls every accessor for the slots that generated code may read, whether the schema has them or not. No call may
/// trap.
///
/// - Parameter isThorough: True to also read at positions without a slot: the vtable's header, and between two slots.
func readEverything(in table: FlatBufferTable, levels: Int, isThorough: Bool) {
  for slot in stride(from: isThorough ? 0 : 4, through: 40, by: isThorough ? 1 : 2) {
    _ = table.contains(slot)
    readScalars(in: table, slot)
    readObjects(in: table, slot)
    readVectors(in: table, slot, levels: levels)
    guard levels > 0 else { continue }
    if let subtable = try? table.subtable(slot) {
      readEverything(in: subtable, levels: levels - 1, isThorough: isThorough)
    }
    if let nested = try? table.nestedTable(slot) {
      readEverything(in: nested, levels: levels - 1, isThorough: isThorough)
    }
  }
}

private func readScalars(in table: FlatBufferTable, _ slot: Int) {
  _ = try? table.scalar(slot, default: true)
  _ = try? table.scalar(slot, default: 0 as UInt16)
  _ = try? table.scalar(slot) as Int64?
  _ = try? table.scalar(slot) as Double?
  _ = try? table.enumeration(slot, default: Fuzz.Shared.Color.blue)
  _ = try? table.enumeration(slot) as Fuzz.Wide?
  _ = try? table.enumeration(slot) as Fuzz.Flags?
}

private func readObjects(in table: FlatBufferTable, _ slot: Int) {
  _ = try? table.string(slot)
  _ = try? table.structure(slot) as Fuzz.Nested?
  _ = try? table.table(slot) as Fuzz.Node?
  _ = try? table.nested(slot) as Fuzz.Node?
  _ = try? table.union(slot) as Fuzz.Content?
  guard let (_, member) = try? table.union(slot) else { return }
  _ = try? member.string()
  _ = try? member.table(Fuzz.Scalars.self)
  _ = try? member.structure(Fuzz.Nested.self)
}

private func readVectors(in table: FlatBufferTable, _ slot: Int, levels: Int) {
  _ = try? table.scalars(slot) as [Bool]?
  _ = try? table.scalars(slot) as [UInt8]?
  _ = try? table.scalars(slot) as [Int32]?
  _ = try? table.scalars(slot) as [Double]?
  _ = try? table.enumerations(slot) as [Fuzz.Wide]?
  _ = try? table.strings(slot)
  _ = try? table.structures(slot) as [Fuzz.Nested]?
  _ = try? table.tables(slot) as [Fuzz.Node]?
  _ = try? table.unions(slot) as [Fuzz.Content]?
  _ = try? table.bytes(slot).map { $0.reduce(0, ^) }
  let layout = Fuzz.Nested.flatBufferLayout
  if let vector = try? table.vector(slot, of: layout) {
    for index in -1...min(vector.count, 8) {
      _ = try? vector.structure(at: index, layout: layout).array(0, count: 6) as [UInt64]
    }
  }
  if let vector = try? table.vector(slot, elementSize: 2) {
    for index in -1...min(vector.count, 8) {
      _ = try? vector.scalar(at: index) as UInt16
      _ = try? vector.scalar(at: index) as UInt64
    }
  }
  guard let vector = try? table.vectorOfOffsets(slot) else { return }
  for index in -1...min(vector.count, 8) {
    _ = try? vector.string(at: index)
    _ = try? vector.unionMember(at: index).string()
    guard let table = try? vector.table(at: index), levels > 0 else { continue }
    _ = try? table.value(Fuzz.Ordered.self)
  }
}
