// https://flatbuffers.dev/internals/#tables
extension FlatBufferBuilder {
  /// Starts a table. Write its children beforehand.
  ///
  /// - Parameter count: The number of vtable entries of the type: one per field, deprecated ones included, and two
  ///   per union.
  public mutating func startTable(slots count: Int) {
    checkNoTable()
    precondition(count >= 0 && count <= 32_765, "a table can have at most 32,765 slots")
    if count > slots.count {
      slots.deallocate()
      slots = .allocate(capacity: max(count, slots.count * 2))
    }
    slots.baseAddress.unsafelyUnwrapped.initialize(repeating: 0, count: count)
    slotCount = count
    tableStart = size
  }

  /// Records the object just written as the field of a slot.
  @inlinable
  mutating func mark(_ slot: Int) {
    let index = (slot &- 4) >> 1
    precondition(
      slot & 1 == 0 && UInt(bitPattern: index) < UInt(bitPattern: slotCount ?? 0),
      "add fields between startTable and endTable, at slots that startTable has reserved")
    slots[index] = UInt32(truncatingIfNeeded: size)
  }

  @inlinable
  mutating func put<T: FlatBufferScalar>(_ value: T, at slot: Int) {
    guard let bytes = claim(MemoryLayout<T>.size, alignment: MemoryLayout<T>.size) else { return }
    value.flatBufferStore(to: bytes)
    mark(slot)
  }

  /// Adds a scalar, unless it equals the default.
  @inlinable
  public mutating func add<T: FlatBufferScalar>(_ value: T, at slot: Int, default standard: T) {
    if !value.flatBufferIsDefault(standard) { put(value, at: slot) }
  }

  /// Adds an optional scalar, unless it is nil.
  @inlinable
  public mutating func add<T: FlatBufferScalar>(_ value: T?, at slot: Int) {
    if let value { put(value, at: slot) }
  }

  /// Adds an enum's value, unless it equals the default.
  @inlinable
  public mutating func add<E: FlatBufferEnum>(_ value: E, at slot: Int, default standard: E) {
    add(value.rawValue, at: slot, default: standard.rawValue)
  }

  /// Adds an optional enum's value, unless it is nil.
  @inlinable
  public mutating func add<E: FlatBufferEnum>(_ value: E?, at slot: Int) {
    if let value { put(value.rawValue, at: slot) }
  }

  /// Adds a reference to an object already written, unless it is nil.
  @inlinable
  public mutating func add(_ offset: FlatBufferOffset?, at slot: Int) {
    guard let offset else { return }
    check(offset)
    writeOffset(to: offset)
    mark(slot)
  }

  /// Adds a fixed struct's bytes in place.
  public mutating func add(structure bytes: UnsafeRawBufferPointer, alignment: Int, at slot: Int) {
    put(structure: bytes, alignment: alignment)
    mark(slot)
  }

  /// Ends the table. Equal vtables are written once.
  public mutating func endTable() -> FlatBufferOffset {
    guard let slotCount else { preconditionFailure("endTable was called without startTable") }
    self.slotCount = nil
    nesting.addTable()
    if nesting.tables > limits.maximumTables { fail(.tooManyTables) }
    var used = slotCount
    // Omit the absent fields at the end of the vtable.
    while used > 0 && slots[used - 1] == 0 { used -= 1 }
    let vtableSize = 4 + 2 * used
    // Reserve the start of the table, the offset of its vtable.
    guard claim(4, alignment: 4) != nil else { return FlatBufferOffset(0) }
    let table = size
    let tableSize = table - tableStart
    guard tableSize <= Int(UInt16.max) else {
      fail(.tooLarge)
      return FlatBufferOffset(0)
    }
    guard let vtable = claim(vtableSize, alignment: 2) else { return FlatBufferOffset(0) }
    // Write the vtable: its size, the table's size, and the offset of each field from the table's start.
    UInt16(vtableSize).flatBufferStore(to: vtable)
    UInt16(tableSize).flatBufferStore(to: vtable + 2)
    for index in 0..<used {
      let location = Int(slots[index])
      UInt16(location == 0 ? 0 : table - location).flatBufferStore(to: vtable + 4 + 2 * index)
    }
    let location = shareVTable(size: vtableSize, table: table)
    // The vtable precedes the table, or follows it if it is shared.
    Int32(location - table).flatBufferStore(to: memory + (capacity - table))
    return FlatBufferOffset(table)
  }

  /// Enters the next nesting level, for code that writes tables without `FlatBufferTableValue`.
  ///
  /// - Returns: True if the level is allowed; call `ascend()` after writing the table. False if it exceeds the limit;
  ///   `finish` then throws `.tooDeep`.
  public mutating func descend() -> Bool {
    guard nesting.level < limits.maximumDepth else {
      fail(.tooDeep)
      return false
    }
    nesting.descend()
    return true
  }

  /// Leaves the nesting level that `descend()` entered.
  public mutating func ascend() {
    nesting.ascend()
  }

  /// Discards the vtable just written if an equal one exists.
  ///
  /// - Returns: The location of the vtable to use.
  private mutating func shareVTable(size vtableSize: Int, table: Int) -> Int {
    let written = UnsafeRawBufferPointer(start: head, count: vtableSize)
    let end = UnsafeRawPointer(memory + capacity)
    let hash = OffsetIndex.hash(written)
    let shared = vtables.location(hash: hash) { location in
      location >= vtableSize && isEqual(written, end - location)
    }
    if let shared {
      size = table
      return shared
    }
    vtables.insert(size, hash: hash)
    return size
  }
}
