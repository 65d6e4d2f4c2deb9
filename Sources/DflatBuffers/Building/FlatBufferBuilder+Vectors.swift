// https://flatbuffers.dev/internals/#vectors
//
// Loops use indices: in code that isn't specialized, an iterator would be allocated.
extension FlatBufferBuilder {
  /// Reserves space for a vector's elements. Call `endVector(count:)` after writing them.
  ///
  /// - Parameter alignment: The alignment of the elements. The length before them is aligned to 4 bytes.
  @inlinable
  mutating func startVector(count: Int, size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    checkNoTable()
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    return claim(overflow ? Int.max : bytes, alignment: max(alignment, 4))
  }

  /// Ends a vector or string by writing the length before its elements.
  @usableFromInline
  mutating func endVector(count: Int) -> FlatBufferOffset {
    guard let length = claim(4, alignment: 4) else { return FlatBufferOffset(0) }
    UInt32(truncatingIfNeeded: count).flatBufferStore(to: length)
    return FlatBufferOffset(size)
  }

  /// Writes a vector of scalars.
  ///
  /// - Parameters:
  ///   - vector: The elements.
  ///   - alignment: The `force_align` of the field, if it has one.
  @inlinable
  public mutating func create<T: FlatBufferScalar>(vector: [T], alignment: Int? = nil) -> FlatBufferOffset {
    let size = MemoryLayout<T>.size
    guard let bytes = startVector(count: vector.count, size: size, alignment: max(size, alignment ?? 1)) else {
      return FlatBufferOffset(0)
    }
    if T.flatBufferIsRaw && isLittleEndian {
      vector.withUnsafeBytes { elements in
        if let start = elements.baseAddress { bytes.copyMemory(from: start, byteCount: elements.count) }
      }
    } else {
      var element = bytes
      for index in 0..<vector.count {
        vector[index].flatBufferStore(to: element)
        element += size
      }
    }
    return endVector(count: vector.count)
  }

  /// Writes a vector of enums.
  @inlinable
  public mutating func create<E: FlatBufferEnum>(vector: [E], alignment: Int? = nil) -> FlatBufferOffset {
    let size = MemoryLayout<E.RawValue>.size
    guard let bytes = startVector(count: vector.count, size: size, alignment: max(size, alignment ?? 1)) else {
      return FlatBufferOffset(0)
    }
    var element = bytes
    for index in 0..<vector.count {
      vector[index].rawValue.flatBufferStore(to: element)
      element += size
    }
    return endVector(count: vector.count)
  }

  /// Writes a vector of strings. With `shared`, equal strings are written once. The alignment is that of the
  /// references.
  public mutating func create(
    vector: [String], shared: Bool = false, alignment: Int? = nil
  ) -> FlatBufferOffset {
    let first = pending.count
    for index in 0..<vector.count { keep(create(vector[index], shared: shared)) }
    return createVector(ofPendingFrom: first, alignment: alignment)
  }

  /// Writes a vector of references to objects already written.
  public mutating func create(offsets: [FlatBufferOffset], alignment: Int? = nil) -> FlatBufferOffset {
    let first = pending.count
    for index in 0..<offsets.count { keep(offsets[index]) }
    return createVector(ofPendingFrom: first, alignment: alignment)
  }

  /// Writes a vector whose element size is known only at run time.
  ///
  /// - Parameters:
  ///   - count: The number of elements.
  ///   - size: The size of an element in bytes.
  ///   - alignment: The alignment of the elements in bytes.
  ///   - write: Fills in the elements. The bytes are zero when it is called.
  public mutating func create(
    vectorOf count: Int, size: Int, alignment: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) -> FlatBufferOffset {
    precondition(
      count >= 0 && size > 0, "a vector's count can't be negative, and its elements must have at least one byte")
    guard let bytes = startVector(count: count, size: size, alignment: alignment) else { return FlatBufferOffset(0) }
    bytes.initializeMemory(as: UInt8.self, repeating: 0, count: count * size)
    write(UnsafeMutableRawBufferPointer(start: bytes, count: count * size))
    return endVector(count: count)
  }

  @usableFromInline
  var pendingCount: Int { pending.count }

  @usableFromInline
  mutating func keep(_ offset: FlatBufferOffset) {
    check(offset)
    pending.push(offset)
  }

  /// Writes a vector of the offsets kept since the stack had `first` entries, and removes them.
  @usableFromInline
  mutating func createVector(ofPendingFrom first: Int, alignment: Int?) -> FlatBufferOffset {
    let count = pending.count - first
    defer { pending.truncate(to: first) }
    guard let bytes = startVector(count: count, size: 4, alignment: alignment ?? 4) else { return FlatBufferOffset(0) }
    for index in 0..<count {
      reference(to: pending[first + index], from: size - 4 * index).flatBufferStore(to: bytes + 4 * index)
    }
    return endVector(count: count)
  }
}
