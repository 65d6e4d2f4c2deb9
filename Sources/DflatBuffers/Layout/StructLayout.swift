/// The size and alignment of a fixed struct.
public struct StructLayout: Hashable, Sendable {
  /// The name in the schema, for errors.
  public let name: String
  /// The size in bytes, including padding.
  public let size: Int
  /// The alignment in bytes, a power of two.
  public let alignment: Int

  /// Creates a layout.
  ///
  /// - Parameters:
  ///   - name: The name in the schema, for errors.
  ///   - size: The size in bytes, including padding: a multiple of the alignment, and not 0.
  ///   - alignment: The alignment in bytes, a power of two up to 256.
  public init(_ name: String, size: Int, alignment: Int) {
    precondition(
      alignment > 0 && alignment <= 256 && alignment & (alignment - 1) == 0,
      "the alignment of \(name) must be a power of two, up to 256")
    precondition(size > 0 && size % alignment == 0, "the size of \(name) must be a multiple of its alignment")
    self.name = name
    self.size = size
    self.alignment = alignment
  }
}
