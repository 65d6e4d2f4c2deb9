extension FlatBufferBuilder {
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

  /// Adds a fixed struct in place, unless it is nil.
  @inlinable
  public mutating func add<S: FlatBufferStructure>(_ value: S?, at slot: Int) {
    guard let value else { return }
    put(value)
    mark(slot)
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
    count(structs: 1, of: layout)
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
}

// Loops use indices: in code that isn't specialized, an iterator would be allocated.
extension FlatBufferBuilder {
  /// Writes a vector of structs, one after the other.
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
    count(structs: vector.count, of: layout)
    return endVector(count: vector.count)
  }

  /// Writes a vector of tables.
  @inlinable
  public mutating func create<T: FlatBufferTableValue>(vector: [T], alignment: Int? = nil) -> FlatBufferOffset {
    let first = pendingCount
    for index in 0..<vector.count { keep(create(vector[index])) }
    return createVector(ofPendingFrom: first, alignment: alignment)
  }

  /// Writes the values of a vector of unions. Use `create(kinds:)` for the vector of their kinds.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(vector: [U], alignment: Int? = nil) -> FlatBufferOffset {
    count(unions: vector.count)
    let first = pendingCount
    for index in 0..<vector.count { keep(create(vector[index])) }
    return createVector(ofPendingFrom: first, alignment: alignment)
  }

  /// Writes the kinds of a vector of unions.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(kinds vector: [U]) -> FlatBufferOffset {
    guard var byte = startVector(count: vector.count, size: 1, alignment: 1) else { return FlatBufferOffset(0) }
    for index in 0..<vector.count {
      byte.storeBytes(of: vector[index].flatBufferKind, as: UInt8.self)
      byte += 1
    }
    return endVector(count: vector.count)
  }
}

// Vectors of optional fields: an absent vector means the same as an empty one, and takes less space.
extension FlatBufferBuilder {
  /// Writes a vector of structs, or returns nil if it is empty.
  @inlinable
  public mutating func create<S: FlatBufferStructure>(
    nonEmpty vector: [S], alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// Writes a vector of tables, or returns nil if it is empty.
  @inlinable
  public mutating func create<T: FlatBufferTableValue>(
    nonEmpty vector: [T], alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// Writes the values of a vector of unions, or returns nil if it is empty. Their kinds are a separate vector.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(
    nonEmpty vector: [U], alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// Writes the kinds of a vector of unions, or returns nil if it is empty.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(nonEmptyKinds vector: [U]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(kinds: vector)
  }
}
