// Vectors of optional fields: an absent vector means the same as an empty one, and takes less space.
extension FlatBufferBuilder {
  /// Writes a vector of scalars, or returns nil if it is empty.
  @inlinable
  public mutating func create<T: FlatBufferScalar>(nonEmpty vector: [T], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// Writes a vector of enums, or returns nil if it is empty.
  @inlinable
  public mutating func create<E: FlatBufferEnum>(nonEmpty vector: [E], alignment: Int? = nil) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, alignment: alignment)
  }

  /// Writes a vector of strings, or returns nil if it is empty. With `shared`, equal strings are written once.
  public mutating func create(
    nonEmpty vector: [String], shared: Bool = false, alignment: Int? = nil
  ) -> FlatBufferOffset? {
    vector.isEmpty ? nil : create(vector: vector, shared: shared, alignment: alignment)
  }
}
