import DflatBuffers

extension Query {
  /// Returns single fields of the objects, in the requested order. Besides those of the conditions and the order, reads
  /// only these from the stored bytes; the rest is neither decoded nor verified.
  ///
  ///     for (title, priority) in try workspace.query(for: Post.self).select(Post.title, Post.priority) {
  ///       print(title ?? "", priority ?? 0)
  ///     }
  ///
  /// Values are optional, because a field may belong to a struct, a table or a union member that is absent. An entity's
  /// own field with a default always has a value.
  ///
  /// Blocks the calling thread until the fields are read.
  ///
  /// - Throws: The errors that ``Query`` lists.
  public func select<each T: DflatFriendlyValue>(
    _ field: repeat FieldExpr<each T, Element>
  ) throws -> [(repeat (each T)?)] {
    let readers = (repeat FieldReader(each field))
    var rows: [(repeat (each T)?)] = []
    source.note(query.rows)
    try source.read(.swift(Element.self)) { connection, _ in
      rows = try query.collect(on: connection, storage: source.storage) { _, bytes in
        let root = try FlatBufferTable(rootOf: bytes)
        return (repeat try (each readers).value(in: root))
      }
    }
    return rows
  }
}

/// Reads one field of many objects.
private struct FieldReader<T: DflatFriendlyValue> {
  private let reader: PathReader

  init<Element>(_ field: FieldExpr<T, Element>) { reader = PathReader(field.field.path) }

  func value(in root: FlatBufferTable) throws(FlatBufferError) -> T? { T(_queryValue: try reader.value(in: root)) }
}
