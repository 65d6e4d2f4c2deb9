/// A view of a fixed struct in bytes that it does not own, valid as long as they are.
///
/// The accessors take byte offsets in the struct. https://flatbuffers.dev/internals/#structs
public struct FlatBufferStruct {
  @usableFromInline let source: Source
  @usableFromInline let position: Int
  @usableFromInline let size: Int

  @inlinable
  init(_ source: Source, at position: Int, size: Int, slot: Int) throws(FlatBufferError) {
    guard source.has(size, at: position) else {
      throw FlatBufferError(.truncated, slot: slot, position: position)
    }
    self.source = source
    self.position = position
    self.size = size
  }

  /// Where members at an offset are, which have to be inside of the struct.
  @inlinable
  func member(at offset: Int, size: Int, count: Int = 1) throws(FlatBufferError) -> Int {
    guard offset >= 0, offset <= self.size, count >= 0, count <= (self.size - offset) / size else {
      throw FlatBufferError(.truncated, slot: 0, position: position)
    }
    return position + offset
  }

  /// The scalar at a byte offset.
  @inlinable
  public func scalar<T: FlatBufferScalar>(_ offset: Int) throws(FlatBufferError) -> T {
    let member = try member(at: offset, size: MemoryLayout<T>.size)
    return T.flatBufferLoad(from: source.base + member)
  }

  /// An enum's value; the default stands for values that this version of the schema doesn't know.
  @inlinable
  public func enumeration<E: FlatBufferEnum>(
    _ offset: Int, default standard: E = E.flatBufferDefault
  ) throws(FlatBufferError) -> E {
    let member = try member(at: offset, size: MemoryLayout<E.RawValue>.size)
    return E.flatBufferLoad(from: source.base + member, default: standard)
  }

  /// The struct at a byte offset.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ offset: Int) throws(FlatBufferError) -> S {
    try S.read(structure(offset, layout: S.flatBufferLayout))
  }

  /// A view of the struct at a byte offset.
  @inlinable
  public func structure(_ offset: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: member(at: offset, size: layout.size), size: layout.size, slot: 0)
  }

  /// A fixed-length array of scalars.
  @inlinable
  public func array<T: FlatBufferScalar>(_ offset: Int, count: Int) throws(FlatBufferError) -> [T] {
    source.scalars(at: try member(at: offset, size: MemoryLayout<T>.size, count: count), count: count)
  }

  /// A fixed-length array of enums; values that this version of the schema doesn't know become the type's default.
  @inlinable
  public func array<E: FlatBufferEnum>(_ offset: Int, count: Int) throws(FlatBufferError) -> [E] {
    source.enumerations(at: try member(at: offset, size: MemoryLayout<E.RawValue>.size, count: count), count: count)
  }

  /// A fixed-length array of structs.
  @inlinable
  public func array<S: FlatBufferStructure>(_ offset: Int, count: Int) throws(FlatBufferError) -> [S] {
    let size = S.flatBufferLayout.size
    return try source.structures(at: member(at: offset, size: size, count: count), count: count, size: size)
  }
}
