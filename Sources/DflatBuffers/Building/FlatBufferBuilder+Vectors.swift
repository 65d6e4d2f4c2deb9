// https://flatbuffers.dev/internals/#vectors
//
// The loops go by index: an iterator is allocated where the code is not specialized.
extension FlatBufferBuilder {
  /// Makes room for a vector's elements; `endVector(count:)` has to follow.
  ///
  /// - Parameter alignment: That of the elements; the length in front of them is aligned to 4 bytes.
  @inlinable
  mutating func startVector(count: Int, size: Int, alignment: Int) -> UnsafeMutableRawPointer? {
    checkNoTable()
    let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
    return claim(overflow ? Int.max : bytes, alignment: max(alignment, 4))
  }

  /// - Parameter alignment: That of `force_align`, if the field has it.
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

  /// A vector of enums.
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

  /// A vector of structs, one after the other.
  @inlinable
  public mutating func create<S: FlatBufferStructure>(vector: [S], alignment: Int? = nil) -> FlatBufferOffset {
    let layout = S.flatBufferLayout
    let size = layout.size
    guard let bytes = startVector(count: vector.count, size: size, alignment: max(layout.alignment, alignment ?? 1))
    else { return FlatBufferOffset(0) }
    var element = bytes
    for index in 0..<vector.count {
      write(vector[index], to: element, size: size)
      element += size
    }
    return endVector(count: vector.count)
  }

  /// A vector of strings; with `shared`, equal ones are written once.
  public mutating func create(vector: [String], shared: Bool = false) -> FlatBufferOffset {
    let first = pending.count
    for index in 0..<vector.count { keep(create(vector[index], shared: shared)) }
    return createVector(ofPendingFrom: first)
  }

  /// A vector of tables.
  @inlinable
  public mutating func create<T: FlatBufferTableValue>(vector: [T]) -> FlatBufferOffset {
    let first = pendingCount
    for index in 0..<vector.count { keep(create(vector[index])) }
    return createVector(ofPendingFrom: first)
  }

  /// Writes the values of unions; the vector of their kinds is `create(kinds:)`.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(vector: [U]) -> FlatBufferOffset {
    let first = pendingCount
    for index in 0..<vector.count { keep(create(vector[index])) }
    return createVector(ofPendingFrom: first)
  }

  /// Writes the kinds of unions.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(kinds vector: [U]) -> FlatBufferOffset {
    guard var byte = startVector(count: vector.count, size: 1, alignment: 1) else { return FlatBufferOffset(0) }
    for index in 0..<vector.count {
      byte.storeBytes(of: vector[index].flatBufferKind, as: UInt8.self)
      byte += 1
    }
    return endVector(count: vector.count)
  }

  /// Writes a vector of references to objects that were written before.
  public mutating func create(offsets: [FlatBufferOffset]) -> FlatBufferOffset {
    let first = pending.count
    for index in 0..<offsets.count { keep(offsets[index]) }
    return createVector(ofPendingFrom: first)
  }

  /// Writes a vector of elements of a size known at run time. The bytes are zero when `write` gets them.
  public mutating func create(
    vectorOf count: Int, size: Int, alignment: Int, _ write: (UnsafeMutableRawBufferPointer) -> Void
  ) -> FlatBufferOffset {
    precondition(count >= 0 && size > 0, "a vector has no or more elements, of at least one byte")
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

  /// Writes a vector of what was kept since.
  @usableFromInline
  mutating func createVector(ofPendingFrom first: Int) -> FlatBufferOffset {
    let count = pending.count - first
    defer { pending.truncate(to: first) }
    guard let bytes = startVector(count: count, size: 4, alignment: 4) else { return FlatBufferOffset(0) }
    for index in 0..<count {
      reference(to: pending[first + index], from: size - 4 * index).flatBufferStore(to: bytes + 4 * index)
    }
    return endVector(count: count)
  }
}
