/// A table of a schema. Generated code conforms to it.
public protocol FlatBufferTableValue: Sendable {
  /// The table's layout, against which buffers are verified.
  static var flatBufferLayout: TableLayout { get }

  /// Reads the table, and ignores fields that a newer schema added.
  ///
  /// - Throws: ``FlatBufferError`` if the bytes are damaged.
  init(_ table: FlatBufferTable) throws(FlatBufferError)

  /// Writes the table after its children. Write child tables, including those of unions, with the builder's `create`,
  /// which tracks the nesting depth.
  func to(flatBufferBuilder builder: inout FlatBufferBuilder) -> FlatBufferOffset
}

extension FlatBufferTableValue {
  @inlinable
  static func read(_ table: FlatBufferTable) throws(FlatBufferError) -> Self {
    do throws(FlatBufferError) {
      return try Self(table)
    } catch {
      throw error.named(by: flatBufferLayout)
    }
  }
}
