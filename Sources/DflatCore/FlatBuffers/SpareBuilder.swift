package import DflatBuffers

/// A builder that is kept for the next value, so that a stream of encodes allocates the results alone.
package final class SpareBuilder: Sendable {
  /// More memory than this isn't kept.
  private static let maximumSize = 1 << 20

  /// The one that nobody uses at the moment. Values may be written while others are, by other threads or as parts of them:
  /// they make builders of their own.
  private static let idle = Lock<SpareBuilder?>(nil)

  // Only whoever took the object out of `idle`, or made it, uses it.
  private nonisolated(unsafe) var builder = FlatBufferBuilder()

  /// Lends a builder.
  package static func with<R>(
    _ body: (inout FlatBufferBuilder) throws(FlatBufferError) -> R
  ) throws(FlatBufferError) -> R {
    // The lock may be held by a thread that a forked child doesn't have.
    if !ForkGuard.isOriginal {
      var builder = FlatBufferBuilder()
      return try body(&builder)
    }
    let spare =
      idle.withLock { idle in
        defer { idle = nil }
        return idle
      } ?? SpareBuilder()
    defer {
      if spare.builder.memorySize <= maximumSize { idle.withLock { $0 = spare } }
    }
    return try body(&spare.builder)
  }
}
