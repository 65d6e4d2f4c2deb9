/// Limits for lists from untrusted bytes. A list that an encoder with the same limits wrote is never refused.
public struct PropertyListLimits: Sendable, Equatable {
  /// The maximum nesting of arrays and dictionaries. The stack of any thread permits it.
  public static let maximumDepth = 512

  /// The memory in bytes that decoded values may take; nil for the greater of 128 MiB and 16 times the list's size.
  public var maximumMemory: Int?

  /// Creates limits.
  ///
  /// - Parameter maximumMemory: In bytes; nil for the greater of 128 MiB and 16 times the list's size.
  public init(maximumMemory: Int? = nil) { self.maximumMemory = maximumMemory }

  /// The number of objects that a list of any size may have; a longer list may have one for each byte. Encoders don't
  /// share arrays and dictionaries, so their lists have no more.
  private static let leastObjects = 1 << 19

  func objects(forSize size: Int) -> Int { max(Self.leastObjects, size) }

  func memory(forSize size: Int) -> Int { maximumMemory ?? max(128 << 20, size > Int.max / 16 ? Int.max : 16 * size) }
}
