/// The writer and the encoders that a session leaves to later ones.
final class EncodingBuffers {
  static let spare = SpareSlot<EncodingBuffers>()

  /// Behind a pointer, so that accesses aren't checked for exclusivity.
  let writer: UnsafeMutablePointer<ObjectWriter>
  /// The first of a list of encoders to use again.
  var encoder: ValueEncoder?

  init() {
    writer = .allocate(capacity: 1)
    writer.initialize(to: ObjectWriter())
  }

  deinit {
    writer.deinitialize(count: 1)
    writer.deallocate()
    // One by one, because a list of many destroys itself recursively.
    while takeEncoder() != nil {}
  }

  func takeEncoder() -> ValueEncoder? {
    guard let first = encoder else { return nil }
    encoder = first.takeNextSpare()
    return first
  }
}
