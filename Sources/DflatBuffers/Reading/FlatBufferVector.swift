/// A view of a vector's elements in bytes that it does not own, valid as long as they are.
///
/// Which accessor fits is for the schema to say. An index out of range throws `truncated`.
/// https://flatbuffers.dev/internals/#vectors
public struct FlatBufferVector {
  let source: Source
  /// The number of elements.
  @usableFromInline let start: Int
  public let count: Int
  let stride: Int
  let depth: Int
  let slot: Int

  init(_ source: Source, start: Int, count: Int, stride: Int, depth: Int, slot: Int) {
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

  /// The scalar at an index.
  public func scalar<T: FlatBufferScalar>(at index: Int) throws(FlatBufferError) -> T {
    T.flatBufferLoad(from: source.base + (try element(index, size: MemoryLayout<T>.size)))
  }

  /// The string at an index.
  public func string(at index: Int) throws(FlatBufferError) -> String {
    try source.string(at: target(index), slot: slot)
  }

  /// A view of the table at an index.
  public func table(at index: Int) throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: target(index), depth: depth - 1, slot: slot)
  }

  /// A view of the fixed struct at an index.
  public func structure(at index: Int, layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: element(index, size: layout.size), size: layout.size, slot: slot)
  }

  /// The member of the union at an index; its kind is in the vector of kinds.
  public func unionMember(at index: Int) throws(FlatBufferError) -> FlatBufferUnionMember {
    FlatBufferUnionMember(source, at: try target(index), depth: depth, slot: slot)
  }

  private func target(_ index: Int) throws(FlatBufferError) -> Int {
    try source.target(at: element(index, size: 4), slot: slot)
  }
}
