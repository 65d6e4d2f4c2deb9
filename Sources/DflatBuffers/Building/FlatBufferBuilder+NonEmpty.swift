// Vectors of fields that are not required: empty and absent are the same value, and absent is smaller.
extension FlatBufferBuilder {
  /// A vector of scalars, nil of an empty one.
  @inlinable
  public mutating func create<T: FlatBufferScalar>(nonEmpty vector: [T], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// A vector of enums, nil of an empty one.
  @inlinable
  public mutating func create<E: FlatBufferEnum>(nonEmpty vector: [E], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// A vector of structs, nil of an empty one.
  @inlinable
  public mutating func create<S: FlatBufferStructure>(
    nonEmpty vector: [S], alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// A vector of strings, nil of an empty one; with `shared`, equal ones are written once.
  public mutating func create(nonEmpty vector: [String], shared: Bool = false) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, shared: shared)
  }

  /// A vector of tables, nil of an empty one.
  @inlinable
  public mutating func create<T: FlatBufferTableValue>(nonEmpty vector: [T]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector)
  }

  /// The values of a vector of unions, nil of an empty one. Their kinds are a vector of their own.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(nonEmpty vector: [U]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector)
  }

  /// The kinds of a vector of unions, nil of an empty one.
  @inlinable
  public mutating func create<U: FlatBufferUnion>(nonEmptyKinds vector: [U]) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(kinds: vector)
  }
}
