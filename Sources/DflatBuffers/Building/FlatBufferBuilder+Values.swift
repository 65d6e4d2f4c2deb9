extension FlatBufferBuilder {
  /// Writes a string. https://flatbuffers.dev/internals/#strings
  ///
  /// - Parameter shared: True to refer to an equal shared string, if there is one, instead of writing another.
  public mutating func create(_ string: String, shared: Bool = false) -> FlatBufferOffset {
    var string = string
    return string.withUTF8 { create(utf8: UnsafeRawBufferPointer($0), shared: shared) }
  }

  /// Writes a string, or returns nil if there is none.
  @_disfavoredOverload
  public mutating func create(_ string: String?, shared: Bool = false) -> FlatBufferOffset? {
    guard let string else { return nil }
    return create(string, shared: shared)
  }

  /// Writes a string from bytes, which must be valid UTF-8.
  public mutating func create(utf8 bytes: UnsafeRawBufferPointer, shared: Bool = false) -> FlatBufferOffset {
    checkNoTable()
    guard shared else { return write(utf8: bytes) }
    let hash = OffsetIndex.hash(bytes)
    let end = UnsafeRawPointer(memory + capacity)
    let found = strings.location(hash: hash) { location in
      UInt32.flatBufferLoad(from: end - location) == UInt32(truncatingIfNeeded: bytes.count)
        && isEqual(bytes, end - location + 4)
    }
    if let found {
      sharedBytes = min(sharedBytes + bytes.count + 4, Int(Int32.max))
      return FlatBufferOffset(found)
    }
    let offset = write(utf8: bytes)
    if offset.location != 0 { strings.insert(Int(offset.location), hash: hash) }
    return offset
  }

  private mutating func write(utf8 bytes: UnsafeRawBufferPointer) -> FlatBufferOffset {
    guard let text = claim(bytes.count + 1, alignment: 4) else { return FlatBufferOffset(0) }
    if let start = bytes.baseAddress { text.copyMemory(from: start, byteCount: bytes.count) }
    text.storeBytes(of: 0, toByteOffset: bytes.count, as: UInt8.self)
    return endVector(count: bytes.count)
  }

  /// Ends a vector or string by writing the length before its elements.
  @usableFromInline
  mutating func endVector(count: Int) -> FlatBufferOffset {
    guard let length = claim(4, alignment: 4) else { return FlatBufferOffset(0) }
    UInt32(truncatingIfNeeded: count).flatBufferStore(to: length)
    return FlatBufferOffset(size)
  }

  /// Writes a child table, one level deeper than the current one.
  @inlinable
  public mutating func create<T: FlatBufferTableValue>(_ table: T) -> FlatBufferOffset {
    guard descend() else { return FlatBufferOffset(0) }
    defer { ascend() }
    return table.to(flatBufferBuilder: &self)
  }

  /// Writes a child table, or returns nil if there is none.
  @inlinable
  @_disfavoredOverload
  public mutating func create<T: FlatBufferTableValue>(_ table: T?) -> FlatBufferOffset? {
    guard let table else { return nil }
    return create(table)
  }

  /// Writes a union's value. The table stores its kind as a separate scalar.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(_ union: U) -> FlatBufferOffset {
    union.to(flatBufferBuilder: &self)
  }

  /// Writes a union's value, or returns nil if there is none.
  @inlinable
  @_disfavoredOverload
  public mutating func create<U: FlatBufferUnion>(_ union: U?) -> FlatBufferOffset? {
    guard let union else { return nil }
    return union.to(flatBufferBuilder: &self)
  }

  /// Writes a fixed struct that is referenced by an offset: a union's value or the root.
  @inlinable
  public mutating func create<S: FlatBufferStructure>(_ structure: S) -> FlatBufferOffset {
    checkNoTable()
    return put(structure) ? FlatBufferOffset(size) : FlatBufferOffset(0)
  }

  /// Writes the bytes of a fixed struct that is referenced by an offset.
  public mutating func create(structure bytes: UnsafeRawBufferPointer, alignment: Int) -> FlatBufferOffset {
    checkNoTable()
    return put(structure: bytes, alignment: alignment) ? FlatBufferOffset(size) : FlatBufferOffset(0)
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
}

// Structs stored in place.
extension FlatBufferBuilder {
  @inlinable
  @discardableResult
  mutating func put<S: FlatBufferStructure>(_ value: S) -> Bool {
    let layout = S.flatBufferLayout
    guard let bytes = claim(layout.size, alignment: layout.alignment) else { return false }
    write(value, to: bytes, size: layout.size)
    return true
  }

  @inlinable
  mutating func write<S: FlatBufferStructure>(_ value: S, to bytes: UnsafeMutableRawPointer, size: Int) {
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    var writer = FlatBufferStructWriter(bytes, size: size)
    value.write(to: &writer)
    if writer.isOverlong { failForArray() }
  }

  @usableFromInline
  mutating func failForArray() { fail(.arrayTooLong) }

  @discardableResult
  mutating func put(structure bytes: UnsafeRawBufferPointer, alignment: Int) -> Bool {
    precondition(
      !bytes.isEmpty && alignment > 0 && alignment & (alignment - 1) == 0,
      "a struct must have at least one byte, and its alignment must be a power of two")
    guard let start = claim(bytes.count, alignment: alignment) else { return false }
    start.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: bytes.count)
    return true
  }
}
