/// The location of an object already written by a builder: a table, string, vector or struct.
public struct FlatBufferOffset: Hashable, Sendable {
  /// The distance of the object's start from the buffer's end; 0 after a failure.
  @usableFromInline let location: UInt32

  @usableFromInline
  init(_ location: Int) {
    self.location = UInt32(truncatingIfNeeded: location)
  }
}
