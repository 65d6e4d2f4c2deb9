/// A view of a fixed struct in memory that it does not own. It is valid as long as that memory.
///
/// The accessors take byte offsets from the struct's start. https://flatbuffers.dev/internals/#structs
public struct FlatBufferStruct {
  @usableFromInline let source: BufferReader
  @usableFromInline let position: Int
  @usableFromInline let size: Int

  @inlinable
  init(_ source: BufferReader, at position: Int, size: Int, slot: Int) throws(FlatBufferError) {
    guard source.has(size, at: position) else {
      throw FlatBufferError(.truncated, slot: slot, position: position)
    }
    self.source = source
    self.position = position
    self.size = size
  }

  /// Returns the position of the members at an offset, and throws if they extend beyond the struct.
  @inlinable
  func member(at offset: Int, size: Int, count: Int = 1) throws(FlatBufferError) -> Int {
    guard offset >= 0, offset <= self.size, count >= 0, count <= (self.size - offset) / size else {
      throw FlatBufferError(.truncated, slot: 0, position: position)
    }
    return position + offset
  }

  /// The bytes of the struct, with its padding. They are valid as long as the struct.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: source.base + position, count: size) }

  /// Returns the scalar at a byte offset.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the scalar extends beyond the struct.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ offset: Int) throws(FlatBufferError) -> T {
    let member = try member(at: offset, size: MemoryLayout<T>.size)
    return T.flatBufferLoad(from: source.base + member)
  }

  /// Returns the enum's value at a byte offset, or the default for values that this version of the schema doesn't know.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the value extends beyond the struct.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(
    _ offset: Int, default standard: E = E.flatBufferDefault
  ) throws(FlatBufferError) -> E {
    let member = try member(at: offset, size: MemoryLayout<E.RawValue>.size)
    return E.flatBufferLoad(from: source.base + member, default: standard)
  }

  /// Returns a view of the struct at a byte offset.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the inner struct extends beyond this one.
  @inlinable
  public func structure(_ offset: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: member(at: offset, size: layout.size), size: layout.size, slot: 0)
  }

  /// Returns the fixed-length array of scalars at a byte offset.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the array extends beyond the struct.
  @inlinable
  public func array<T: FlatBufferScalar>(_ offset: Int, count: Int) throws(FlatBufferError) -> [T] {
    source.scalars(at: try member(at: offset, size: MemoryLayout<T>.size, count: count), count: count)
  }

  /// Returns the fixed-length array of enums at a byte offset. Values that this version of the schema doesn't know
  /// become the type's default.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the array extends beyond the struct.
  @inlinable
  public func array<E: FlatBufferEnum>(_ offset: Int, count: Int) throws(FlatBufferError) -> [E] {
    source.enumerations(at: try member(at: offset, size: MemoryLayout<E.RawValue>.size, count: count), count: count)
  }
}
