/// A view of a table in memory that it does not own.
///
/// Valid as long as that memory: inside the closure that received it. Every accessor checks its reads, and throws
/// if the bytes are damaged. Accessors take the field's slot, its byte offset in the vtable: 4 for the first field, and
/// 2 more for each following one; for a union, the slot of its value. An absent field is read as its default or nil.
///
/// If the buffer was not verified, accessors also throw `.tooManyTables` and `.tooLarge` when they have visited more
/// than the limits allow.
///
/// https://flatbuffers.dev/internals/#tables
public struct FlatBufferTable {
  @usableFromInline let source: BufferReader
  @usableFromInline let position: Int
  @usableFromInline let vtable: Int
  @usableFromInline let vtableSize: Int
  /// The number of levels of tables that may follow.
  @usableFromInline let depth: Int

  @usableFromInline
  init(_ source: BufferReader, at position: Int, depth: Int, slot: Int = 0) throws(FlatBufferError) {
    guard depth >= 0 else { throw FlatBufferError(.tooDeep, slot: slot, position: position) }
    try source.spendTable(slot: slot, position: position)
    let distance: Int32 = try source.load(at: position, slot: slot)
    let (vtable, overflow) = position.subtractingReportingOverflow(Int(distance))
    guard !overflow, source.has(4, at: vtable) else {
      throw FlatBufferError(.invalidVTable, slot: slot, position: position)
    }
    let size = Int(UInt16.flatBufferLoad(from: source.base + vtable))
    guard size >= 4, size % 2 == 0, source.has(size, at: vtable) else {
      throw FlatBufferError(.invalidVTable, slot: slot, position: vtable)
    }
    self.source = source
    self.position = position
    self.vtable = vtable
    vtableSize = size
    self.depth = depth
  }

  /// Returns the position of a field, or nil if it is absent. The position may lie outside the buffer.
  @inlinable
  func field(_ slot: Int) -> Int? {
    // The vtable lies inside the buffer, and its size is even.
    guard slot >= 4, slot <= vtableSize - 2 else { return nil }
    let offset = UInt16.flatBufferLoad(from: source.base + (vtable + slot))
    // The sum may wrap on 32-bit machines. A negative position is outside the buffer.
    return offset == 0 ? nil : position &+ Int(offset)
  }

  /// Returns the target position of the offset in a field, or nil if the field is absent.
  @usableFromInline
  func target(_ slot: Int) throws(FlatBufferError) -> Int? {
    guard let field = field(slot) else { return nil }
    return try source.target(at: field, slot: slot)
  }

  /// Returns true if the buffer has the field, even with its default.
  @inlinable
  public func contains(_ slot: Int) -> Bool { field(slot) != nil }

  /// Unwraps the value of a field that the schema requires.
  ///
  /// - Throws: ``FlatBufferError`` with code `.missingRequiredField` if the value is nil.
  @inlinable
  public func required<T>(_ value: T?, _ slot: Int) throws(FlatBufferError) -> T {
    guard let value else { throw FlatBufferError(.missingRequiredField, slot: slot, position: position) }
    return value
  }
}
