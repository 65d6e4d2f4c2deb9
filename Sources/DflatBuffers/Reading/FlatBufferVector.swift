/// A view of a vector's elements in memory that it does not own. It is valid as long as that memory.
///
/// The schema determines the accessor to use. Every accessor throws ``FlatBufferError`` with code `.truncated` if the
/// index is out of range or the element is larger than the vector's elements.
/// https://flatbuffers.dev/internals/#vectors
public struct FlatBufferVector {
  let source: BufferReader
  @usableFromInline let start: Int
  /// The number of elements.
  public let count: Int
  let stride: Int
  let depth: Int
  let slot: Int

  init(_ source: BufferReader, start: Int, count: Int, stride: Int, depth: Int, slot: Int) {
    self.source = source
    self.start = start
    self.count = count
    self.stride = stride
    self.depth = depth
    self.slot = slot
  }

  private func element(_ index: Int, size: Int) throws(FlatBufferError) -> Int {
    guard index >= 0, index < count, size <= stride else {
      throw FlatBufferError(.truncated, slot: slot, position: start)
    }
    return start + index * stride
  }

  /// Returns the scalar at an index.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the index is out of range.
  public func scalar<T: FlatBufferScalar>(at index: Int) throws(FlatBufferError) -> T {
    T.flatBufferLoad(from: source.base + (try element(index, size: MemoryLayout<T>.size)))
  }

  /// Returns the string at an index.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the index is out of range or the
  ///   string lies outside the buffer, `.invalidUTF8` if it is not UTF-8, `.tooLarge` if the buffer was not verified
  ///   and the limits are used up.
  public func string(at index: Int) throws(FlatBufferError) -> String {
    try source.string(at: target(index), slot: slot)
  }

  /// Returns a view of the table at an index.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the index is out of range or the
  ///   table lies outside the buffer, `.invalidVTable` if its vtable is damaged, `.tooDeep` if it is nested too deeply,
  ///   `.tooManyTables` if the buffer was not verified and the limits are used up.
  public func table(at index: Int) throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: target(index), depth: depth - 1, slot: slot)
  }

  /// Returns a view of the fixed struct at an index.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the index is out of range.
  public func structure(at index: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: element(index, size: layout.size), size: layout.size, slot: slot)
  }

  /// Returns a view of the union's value at an index. Its kind is in the vector of kinds.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` or `.offsetOutOfBounds` if the index is out of range or the
  ///   value lies outside the buffer.
  public func unionMember(at index: Int) throws(FlatBufferError) -> FlatBufferUnionMember {
    FlatBufferUnionMember(source, at: try target(index), depth: depth, slot: slot)
  }

  private func target(_ index: Int) throws(FlatBufferError) -> Int {
    try source.target(at: element(index, size: 4), slot: slot)
  }

  // MARK: Bytes, for copying

  /// The bytes of all elements, valid as long as the vector.
  package var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: source.base + start, count: count * stride)
  }

  /// Returns the bytes of the string at an index, which are valid as long as the vector, and not checked to be UTF-8.
  package func text(at index: Int) throws(FlatBufferError) -> UnsafeRawBufferPointer {
    try source.text(at: target(index), slot: slot)
  }
}
