/// A fixed struct of a schema. Generated code conforms to it.
public protocol FlatBufferStructure: Sendable {
  /// The struct's size and alignment.
  static var flatBufferLayout: StructLayout { get }

  /// Reads the struct.
  ///
  /// - Throws: ``FlatBufferError`` with code `.truncated` if a member lies outside the struct.
  init(_ structure: FlatBufferStruct) throws(FlatBufferError)

  /// Writes the members. The bytes are zero beforehand, so that padding stays zero.
  func write(to writer: inout FlatBufferStructWriter)
}

extension FlatBufferStructure {
  @inlinable
  static func read(_ structure: FlatBufferStruct) throws(FlatBufferError) -> Self {
    do throws(FlatBufferError) {
      return try Self(structure)
    } catch {
      throw error.named(by: flatBufferLayout)
    }
  }
}
