/// Writes the members of a fixed struct at byte offsets from its start. The bytes are zero beforehand.
///
///     func write(to writer: inout FlatBufferStructWriter) {
///       writer.write(x, at: 0)
///       writer.write(y, at: 4)
///     }
///
/// Writing outside the struct traps.
public struct FlatBufferStructWriter {
  @usableFromInline let base: UnsafeMutableRawPointer
  @usableFromInline let size: Int
  /// True if an array had more elements than its declared length.
  @usableFromInline var isOverlong = false

  @usableFromInline
  init(_ base: UnsafeMutableRawPointer, size: Int) {
    self.base = base
    self.size = size
  }

  @inlinable
  func member(at offset: Int, size: Int) -> UnsafeMutableRawPointer {
    precondition(
      offset >= 0 && size >= 0 && offset <= self.size - size, "a member can't be written outside of its struct")
    return base + offset
  }

  /// Writes a scalar at its byte offset in the struct.
  @inlinable
  public mutating func write<T: FlatBufferScalar>(_ value: T, at offset: Int) {
    value.flatBufferStore(to: member(at: offset, size: MemoryLayout<T>.size))
  }

  /// Writes an enum at its byte offset in the struct.
  @inlinable
  public mutating func write<E: FlatBufferEnum>(_ value: E, at offset: Int) {
    write(value.rawValue, at: offset)
  }

  /// Writes a fixed-length array of scalars. Missing elements stay zero; with more than `count`, the builder's `finish`
  /// throws `.arrayTooLong`.
  @inlinable
  public mutating func write<T: FlatBufferScalar>(_ values: [T], count: Int, at offset: Int) {
    for index in 0..<length(values.count, count) {
      write(values[index], at: offset + index * MemoryLayout<T>.size)
    }
  }

  /// Writes a fixed-length array of enums.
  @inlinable
  public mutating func write<E: FlatBufferEnum>(_ values: [E], count: Int, at offset: Int) {
    for index in 0..<length(values.count, count) {
      write(values[index], at: offset + index * MemoryLayout<E.RawValue>.size)
    }
  }

  @usableFromInline
  mutating func length(_ given: Int, _ count: Int) -> Int {
    if given > count { isOverlong = true }
    return min(given, count)
  }
}
