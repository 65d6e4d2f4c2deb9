/// Limits for lists from untrusted bytes. A list that an encoder with the same limits wrote is never refused.
public struct PropertyListLimits: Sendable, Equatable {
  /// The maximum nesting of arrays and dictionaries.
  ///
  /// Decoding and encoding recurse, also through the types' own code. A value of this depth takes about 512 KiB of the
  /// thread's stack or more in a release build, and several times that in a debug build. Threads have 8 MiB on Linux;
  /// on Apple's platforms, all but the main one have 512 KiB by default. So decode a type that contains itself from
  /// untrusted bytes on a thread with a larger stack.
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
