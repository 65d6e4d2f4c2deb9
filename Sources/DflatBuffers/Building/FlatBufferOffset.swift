/// An object that was already written in a builder: a table, string, vector or struct.
public struct FlatBufferOffset: Hashable, Sendable {
  /// The distance of its start from the buffer's end; 0 after a failure.
  @usableFromInline let location: UInt32

  @usableFromInline
  init(_ location: Int) {
    self.location = UInt32(truncatingIfNeeded: location)
  }
}
