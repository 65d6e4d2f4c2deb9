/// A view of a union's value in memory that it does not own. It is valid as long as that memory. The union's kind
/// determines the accessor to use.
///
/// https://flatbuffers.dev/internals/#unions
public struct FlatBufferUnionMember {
  let source: BufferReader
  let position: Int
  /// The number of levels of tables that may follow the table with the union.
  let depth: Int
  let slot: Int

  init(_ source: BufferReader, at position: Int, depth: Int, slot: Int) {
    self.source = source
    self.position = position
    self.depth = depth
    self.slot = slot
  }

  /// Returns the value as a string.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the string lies outside the buffer, `.invalidUTF8` if it
  ///   is not UTF-8, `.tooLarge` if the buffer was not verified and the limits are used up.
  public func string() throws(FlatBufferError) -> String {
    try source.string(at: position, slot: slot)
  }

  /// Returns the bytes of the value as a string, which are valid as long as the value, and not checked to be UTF-8.
  package func text() throws(FlatBufferError) -> UnsafeRawBufferPointer {
    try source.text(at: position, slot: slot)
  }

  /// Returns a view of the value as a table.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the table lies outside the buffer, `.invalidVTable` if
  ///   its vtable is damaged, `.tooDeep` if it is nested too deeply, `.tooManyTables` if the buffer was not verified
  ///   and the limits are used up.
  public func table() throws(FlatBufferError) -> FlatBufferTable {
    try FlatBufferTable(source, at: position, depth: depth - 1, slot: slot)
  }

  /// Returns a view of the value as a fixed struct.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if the struct lies outside the buffer.
  public func structure(layout: StructLayout) throws(FlatBufferError) -> FlatBufferStruct {
    try FlatBufferStruct(source, at: position, size: layout.size, slot: slot)
  }
}
