/// Limits on the size and complexity of buffers.
///
/// The verifier refuses buffers that exceed them. A builder with the same limits enforces all but ``maximumMemory``, so
/// that the buffers that it writes can be read.
public struct FlatBufferLimits: Hashable, Sendable {
  /// The maximum nesting depth of tables, including the root. At most 1000, because reading and verifying recurse.
  public var maximumDepth: Int {
    didSet { Self.check(maximumDepth) }
  }
  /// The maximum number of tables. A shared table counts at each reference.
  public var maximumTables: Int
  /// The maximum number of bytes in the buffer, and of bytes visited while reading it. Shared bytes count at each
  /// visit. The format's offsets allow for no more than 2 GiB - 1, the default; a larger limit counts as that one.
  public var maximumSize: Int {
    didSet { maximumSize = min(maximumSize, Self.formatSize) }
  }
  /// The maximum memory of the decoded values in bytes, as the verifier estimates it. Nil means 16 times the
  /// buffer's size, but at least 128 MiB. Many references to one object make a small buffer a large value.
  public var maximumMemory: Int?

  /// Creates limits. The defaults are 64 levels and a million tables, as in Google's verifiers, 2 GiB - 1, and memory
  /// in proportion to the buffer's size.
  public init(
    maximumDepth: Int = 64, maximumTables: Int = 1_000_000, maximumSize: Int = Int(Int32.max), maximumMemory: Int? = nil
  ) {
    Self.check(maximumDepth)
    self.maximumMemory = maximumMemory
    self.maximumDepth = maximumDepth
    self.maximumTables = maximumTables
    self.maximumSize = min(maximumSize, Self.formatSize)
  }

  /// Returns the limit on memory for a buffer of that size.
  package func memory(forSize size: Int) -> Int {
    maximumMemory ?? max(128 << 20, size > Int.max / 16 ? Int.max : 16 * size)
  }

  /// The maximum size that the format allows.
  private static let formatSize = Int(Int32.max)

  private static func check(_ depth: Int) {
    precondition(depth <= 1000, "maximumDepth must be at most 1000: reading is recursive, and the stack is limited")
  }
}
