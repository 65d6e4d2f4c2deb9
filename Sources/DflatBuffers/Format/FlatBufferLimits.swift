/// How much a buffer may hold.
///
/// The verifier refuses more, and the builder, with the same limits, writes no more: what was written can be read.
public struct FlatBufferLimits: Hashable, Sendable {
  /// How deeply tables may be nested, the root counted. At most 1000: reading and verifying recurse.
  public var maximumDepth: Int {
    didSet { Self.check(maximumDepth) }
  }
  /// How many tables there may be, shared ones counted as often as they are referred to.
  public var maximumTables: Int
  /// How many bytes the buffer may have, and how many may be visited while reading it, shared ones counted each time.
  /// The format's offsets allow for no more than 2 GiB - 1, the default.
  public var maximumSize: Int
  /// How many bytes of memory the values that are read may take, as the verifier estimates them; nil for 16 times the
  /// buffer's size, and 128 MiB for smaller buffers. Many references to one object make a small buffer a large value.
  public var maximumMemory: Int?

  /// By default 64 levels and a million tables, as Google's verifiers have, 2 GiB, and memory in proportion to the buffer.
  public init(
    maximumDepth: Int = 64, maximumTables: Int = 1_000_000, maximumSize: Int = Int(Int32.max), maximumMemory: Int? = nil
  ) {
    Self.check(maximumDepth)
    self.maximumMemory = maximumMemory
    self.maximumDepth = maximumDepth
    self.maximumTables = maximumTables
    self.maximumSize = min(maximumSize, Int(Int32.max))
  }

  /// The limit on memory for a buffer of that size.
  package func memory(forSize size: Int) -> Int {
    maximumMemory ?? max(128 << 20, size > Int.max / 16 ? Int.max : 16 * size)
  }

  private static func check(_ depth: Int) {
    precondition(depth <= 1000, "maximumDepth is at most 1000: reading recurses, and the stack would not suffice")
  }
}
