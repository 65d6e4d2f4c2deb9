/// A view of a union's member in bytes that it does not own, valid as long as they are. Its kind says which accessor to use.
///
/// https://flatbuffers.dev/internals/#unions
public struct FlatBufferUnionMember {
  let source: Source
  let position: Int
  /// How many levels of tables may follow the table that has the union.
  let depth: Int
  let slot: Int

  init(_ source: Source, at position: Int, depth: Int, slot: Int) {
    self.source = source
    self.position = position
    self.depth = depth
    self.slot = slot
  }

  /// The member as a table.
  @inlinable
  public func table<T: FlatBufferTableValue>(_ type: T.Type = T.self) throws(FlatBufferError) -> T {
    try T.read(table())
  }

  /// The member as a fixed struct.
  @inlinable
  public func structure<S: FlatBufferStructure>(_ type: S.Type = S.self) throws(FlatBufferError) -> S {
    try S.read(structure(layout: S.flatBufferLayout))
  }

  /// The member as a string.
  public func string() throws(FlatBufferError) -> String {
    try source.string(at: position, slot: slot)
  }

  /// A view of the member as a table.
  public func table() throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: position, depth: depth - 1, slot: slot)
  }

  /// A view of the member as a fixed struct.
  public func structure(layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: position, size: layout.size, slot: slot)
  }
}
