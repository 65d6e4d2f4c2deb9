package import DflatBuffers

/// A builder that is kept for the next value, so that a series of encodings allocates only the results.
package final class SpareBuilder: Sendable {
  /// The maximum amount of memory that is kept.
  private static let maximumSize = 1 << 20

  /// The builder that is idle. If it is in use, by another thread or by an enclosing value, a new one is created.
  private static let idle = Lock<SpareBuilder?>(nil)

  // Only the thread that took the object out of `idle`, or created it, uses it.
  private nonisolated(unsafe) var builder = FlatBufferBuilder()

  /// Runs `body` with a builder.
  package static func with<R>(
    _ body: (inout FlatBufferBuilder) throws(FlatBufferError) -> R
  ) throws(FlatBufferError) -> R {
    let spare = take()
    defer { giveBack(spare) }
    return try body(&spare.builder)
  }

  private static func take() -> SpareBuilder {
    // In a forked child, a thread that exists only in the parent may hold the lock.
    if !ForkGuard.isOriginal { return SpareBuilder() }
    let spare = idle.withLock { idle in
      defer { idle = nil }
      return idle
    }
    return spare ?? SpareBuilder()
  }

  private static func giveBack(_ spare: SpareBuilder) {
    if spare.builder.memorySize <= maximumSize, ForkGuard.isOriginal { idle.withLock { $0 = spare } }
  }
}
