/// Decoders to use again, in a list.
final class SpareDecoders {
  static let spare = SpareSlot<SpareDecoders>()

  private var first: ValueDecoder?

  deinit {
    // One by one, because a list of many destroys itself recursively.
    while take() != nil {}
  }

  func take() -> ValueDecoder? {
    guard let decoder = first else { return nil }
    first = decoder.takeNextSpare()
    return decoder
  }

  /// Keeps a decoder that nobody else refers to.
  func give(_ decoder: ValueDecoder) {
    decoder.end(nextSpare: first)
    first = decoder
  }
}
