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

  /// Returns a vector of fixed structs, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer.
  @inlinable
  public func structures<S: FlatBufferStructure>(_ slot: Int) throws(FlatBufferError) -> [S]? {
    let size = S.flatBufferLayout.size
    guard let vector = try vector(slot, size: size) else { return nil }
    return try source.structures(at: vector.start, count: vector.count, size: size)
  }

  /// Returns a vector of tables, or nil if the field is absent.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the vector lies outside the
  ///   buffer; as ``FlatBufferVector/table(at:)`` does; or if a field of a table is damaged.
  @inlinable
  public func tables<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> [T]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    var tables: [T] = []
    tables.reserveCapacity(vector.count)
    for index in 0..<vector.count { tables.append(try T.read(vector.table(at: index))) }
    return tables
  }

  /// Returns a vector of unions, or nil if the field is absent. It leaves out unions without a value, and those whose
  /// kinds this version of the schema doesn't know.
  ///
  /// - Throws: ``FlatBufferError`` with code `.invalidUnion` if the vectors of kinds and values differ in length,
  ///   `.truncated` or `.offsetOutOfBounds` if anything lies outside the buffer; or if a value is damaged.
  @inlinable
  public func unions<U: FlatBufferUnion>(_ slot: Int) throws(FlatBufferError) -> [U]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    let kinds = try unionKinds(slot, count: vector.count)
    var unions: [U] = []
    unions.reserveCapacity(vector.count)
    for index in 0..<vector.count {
      let kind: UInt8 = try kinds.scalar(at: index)
      guard kind != 0, let union = try U(kind: kind, vector.unionMember(at: index)) else { continue }
      unions.append(union)
    }
    return unions
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

  @inlinable
  func structures<S: FlatBufferStructure>(
    at start: Int, count: Int, size: Int
  ) throws(FlatBufferError) -> [S] {
    var structures: [S] = []
    structures.reserveCapacity(count)
    for index in 0..<count {
      structures.append(try S.read(FlatBufferStruct(self, at: start + index &* size, size: size, slot: 0)))
    }
    return structures
  }
}
