/// A fixed struct: how many bytes it has and how it is aligned.
public struct StructLayout: Hashable, Sendable {
  /// The schema's name, for errors.
  public let name: String
  /// Bytes, padding included.
  public let size: Int
  /// A power of two.
  public let alignment: Int

  /// - Parameters:
  ///   - size: In bytes, padding included: a multiple of the alignment, and not 0.
  ///   - alignment: A power of two, up to 256.
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
