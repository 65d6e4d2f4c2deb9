extension FlatBufferTable {
  /// A vector of scalars, nil of none.
  @inlinable
  public func scalars<T: FlatBufferScalar>(_ slot: Int) throws(FlatBufferError) -> [T]? {
    guard let vector = try vector(slot, size: MemoryLayout<T>.size) else { return nil }
    return source.scalars(at: vector.start, count: vector.count)
  }

  /// Enums; values that this version of the schema doesn't know become the type's default.
  @inlinable
  public func enumerations<E: FlatBufferEnum>(_ slot: Int) throws(FlatBufferError) -> [E]? {
    guard let vector = try vector(slot, size: MemoryLayout<E.RawValue>.size) else { return nil }
    return source.enumerations(at: vector.start, count: vector.count)
  }

  /// A vector of strings, nil of none.
  public func strings(_ slot: Int) throws(FlatBufferError) -> [String]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    var strings: [String] = []
    strings.reserveCapacity(vector.count)
    for index in 0..<vector.count { strings.append(try vector.string(at: index)) }
    return strings
  }

  /// A vector of fixed structs, nil of none.
  @inlinable
  public func structures<S: FlatBufferStructure>(_ slot: Int) throws(FlatBufferError) -> [S]? {
    let size = S.flatBufferLayout.size
    guard let vector = try vector(slot, size: size) else { return nil }
    return try source.structures(at: vector.start, count: vector.count, size: size)
  }

  /// A vector of tables, nil of none.
  @inlinable
  public func tables<T: FlatBufferTableValue>(_ slot: Int) throws(FlatBufferError) -> [T]? {
    guard let vector = try vector(slot, size: 4) else { return nil }
    var tables: [T] = []
    tables.reserveCapacity(vector.count)
    for index in 0..<vector.count { tables.append(try T.read(vector.table(at: index))) }
    return tables
  }

  /// Unions; those of no kind or of one that this version of the schema doesn't know are left out.
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

  /// The kinds of the unions in a vector, as many as there are values.
  ///
  /// - Parameter slot: That of the vector of values.
  /// - Throws: `invalidUnion` if there are more or fewer.
  public func unionKinds(_ slot: Int, count: Int) throws(FlatBufferError) -> FlatBufferVector {
    guard let kinds = try vector(slot - 2, size: 1), kinds.count == count else {
      throw FlatBufferError(.invalidUnion, slot: slot, position: position)
    }
    return kinds
  }
}

// Runs of elements that are known to be inside of the buffer.
extension Source {
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
