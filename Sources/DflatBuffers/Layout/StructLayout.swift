/// The size, alignment and number of arrays of a fixed struct.
public struct StructLayout: Hashable, Sendable {
  /// The name in the schema, for errors.
  public let name: String
  /// The size in bytes, including padding.
  public let size: Int
  /// The alignment in bytes, a power of two.
  public let alignment: Int
  /// The number of arrays that a decoded value allocates, including those of the structs inside it.
  public let arrays: Int

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - name: The name in the schema, for errors.
  ///   - size: The size in bytes, including padding: a multiple of the alignment, and not 0.
  ///   - alignment: The alignment in bytes, a power of two up to 256.
  ///   - arrays: The number of arrays that a decoded value allocates, including those of the structs inside it, at most
  ///     64 for each byte. They count toward ``FlatBufferLimits/maximumMemory``.
  public init(_ name: String, size: Int, alignment: Int, arrays: Int = 0) {
    precondition(
      alignment > 0 && alignment <= 256 && alignment & (alignment - 1) == 0,
      "the alignment of \(name) must be a power of two, up to 256")
    precondition(size > 0 && size % alignment == 0, "the size of \(name) must be a multiple of its alignment")
    // Each byte may be in an array of every struct around it, of which there are at most 64.
    precondition(arrays >= 0 && arrays <= 64 * size, "\(name) can't have more than 64 arrays for each byte")
    self.name = name
    self.size = size
    self.alignment = alignment
    self.arrays = arrays
  }
}
