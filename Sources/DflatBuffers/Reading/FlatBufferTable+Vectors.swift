extension FlatBufferTable {
  /// Returns a vector of scalars, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  @inlinable
  public func scalars<T: FlatBufferScalar>(_ slot: Int) throws(FlatBufferError) -> [T]? {
    guard let vector = try vector(slot, size: MemoryLayout<T>.size) else { return nil }
    return source.scalars(at: vector.start, count: vector.count)
  }

  /// Returns a vector of enums, or nil if the field is absent. Values that this version of the schema doesn't know
  /// become the type's default.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  @inlinable
  public func enumerations<E: FlatBufferEnum>(_ slot: Int) throws(FlatBufferError) -> [E]? {
    guard let vector = try vector(slot, size: MemoryLayout<E.RawValue>.size) else { return nil }
    return source.enumerations(at: vector.start, count: vector.count)
  }

  /// Returns a vector of strings, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector or a string lies
  ///   outside the buffer, `.invalidUTF8` if a string is not UTF-8.
  public func strings(_ slot: Int) throws(FlatBufferError) -> [String]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    var strings: [String] = []
    strings.reserveCapacity(vector.count)
    for index in 0..<vector.count { strings.append(try vector.string(at: index)) }
    return strings
  }

  /// Returns the kinds of a vector of unions, as many as there are values.
  ///
  /// - Parameters:
  ///   - slot: The slot of the vector of values.
  ///   - count: The number of values.
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if there are more or fewer, `.truncated` or
  ///   `.offsetOutOfBounds` if the vector of kinds lies outside the buffer.
  public func unionKinds(_ slot: Int, count: Int) throws(FlatBufferError) -> FlatBufferVector {
    guard let kinds = try vector(slot - 2, size: 1), kinds.count == count else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return kinds
  }
}

// Elements whose bytes are known to be inside the buffer.
extension BufferReader {
  @inlinable
  func scalars<T: FlatBufferScalar>(at start: Int, count: Int) -> [T] {
    let bytes = base + start
    return [T](unsafeUninitializedCapacity: count) { elements, initialized in
      if T.flatBufferIsRaw && isLittleEndian {
        UnsafeMutableRawBufferPointer(elements)
          .copyMemory(from: UnsafeRawBufferPointer(start: bytes, count: count &* MemoryLayout<T>.size))
      } else {
        for index in 0..<count {
          elements.initializeElement(at: index, to: T.flatBufferLoad(from: bytes + index &* MemoryLayout<T>.size))
        }
      }
      initialized = count
    }
  }

  @inlinable
  func enumerations<E: FlatBufferEnum>(at start: Int, count: Int) -> [E] {
    let bytes = base + start
    return [E](unsafeUninitializedCapacity: count) { elements, initialized in
      for index in 0..<count {
        let element = bytes + index &* MemoryLayout<E.RawValue>.size
        elements.initializeElement(at: index, to: E.flatBufferLoad(from: element, default: E.flatBufferDefault))
      }
      initialized = count
    }
  }
}
