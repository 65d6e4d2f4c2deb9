/// A view of a table in bytes that it does not own.
///
/// It is valid as long as the bytes are: inside of the closure that lent them. Every accessor checks what it reads, and
/// throws where the bytes are damaged; it takes the field's slot, the byte offset in the vtable (4 for the first field, 2
/// more for each that follows; a union's is that of its value). A default or nil stands for an absent field.
///
/// https://flatbuffers.dev/internals/#tables
public struct FlatBufferTable {
  @usableFromInline let source: Source
  @usableFromInline let position: Int
  @usableFromInline let vtable: Int
  @usableFromInline let vtableSize: Int
  /// How many more levels of tables may follow.
  @usableFromInline let depth: Int

  @usableFromInline
  init(_ source: Source, at position: Int, depth: Int, slot: Int = 0) throws(FlatBufferError) {
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

  /// Where a field's bytes are, or nil if it is absent. They may be outside of the buffer.
  @inlinable
  func field(_ slot: Int) -> Int? {
    // The vtable is inside of the buffer and its size even.
    guard slot >= 4, slot <= vtableSize - 2 else { return nil }
    let offset = UInt16.flatBufferLoad(from: source.base + (vtable + slot))
    // On 32-bit machines it may wrap; a negative position is outside.
    return offset == 0 ? nil : position &+ Int(offset)
  }

  /// Where the offset in a field leads, or nil if it is absent.
  @usableFromInline
  func target(_ slot: Int) throws(FlatBufferError) -> Int? {
    guard let field = field(slot) else { return nil }
    return try source.target(at: field, slot: slot)
  }

  /// The table as a value of its type, with the type's names in errors.
  @inlinable
  public func value<T: FlatBufferTableValue>(_ type: T.Type = T.self) throws(FlatBufferError) -> T {
    try T.read(self)
  }

  /// Whether the field is in the buffer, be it with its default.
  @inlinable
  public func contains(_ slot: Int) -> Bool { field(slot) != nil }

  /// The value, if there is one. For fields that the schema requires.
  @inlinable
  public func required<T>(_ value: T?, _ slot: Int) throws(FlatBufferError) -> T {
    guard let value else { throw FlatBufferError(.missingRequiredField, slot: slot, position: position) }
    return value
  }
}
