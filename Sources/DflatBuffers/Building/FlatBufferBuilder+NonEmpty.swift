// Vectors of fields that are not required: empty and absent are the same value, and absent is smaller.
extension FlatBufferBuilder {
  @inlinable
  public mutating func create<T: FlatBufferScalar>(nonEmpty vector: [T], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  @inlinable
  public mutating func create<E: FlatBufferEnum>(nonEmpty vector: [E], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  @inlinable
  public mutating func create<S: FlatBufferStructure>(
    nonEmpty vector: [S], alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  public mutating func create(nonEmpty vector: [String], shared: Bool = false) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, shared: shared)
  }

  @inlinable
  public mutating func create<T: FlatBufferTableValue>(nonEmpty vector: [T]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector)
  }

  @inlinable
  public mutating func create<U: FlatBufferUnion>(nonEmpty vector: [U]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector)
  }

  @inlinable
  public mutating func create<U: FlatBufferUnion>(nonEmptyKinds vector: [U]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(kinds: vector)
  }
}
