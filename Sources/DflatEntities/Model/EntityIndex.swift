/// An index over a field, or over several fields in an order.
public struct EntityIndex: Hashable, Sendable {
  /// The indexed fields, at least one. Rows are sorted by the first one, those that are equal in it by the second one,
  /// and so on.
  public let fields: [EntityField]
  /// True if no two objects may share a value, or the combination of values. Any number of them may have null.
  public let isUnique: Bool

  /// Creates an index on the field at a path.
  public init(_ name: String, _ path: FieldPath, isUnique: Bool = false) {
    self.init([EntityField(name, path)], isUnique: isUnique)
  }

  /// Creates an index over fields, in their order. It needs at least one, and at most eight.
  ///
  ///     EntityIndex([EntityField("author", .init(.string(6))), EntityField("title", .init(.string(4)))])
  public init(_ fields: [EntityField], isUnique: Bool = false) {
    precondition((1...IndexPaths.maximumCount).contains(fields.count), "An index has one to eight fields.")
    self.fields = fields
    self.isUnique = isUnique
  }

  /// The first field.
  public var field: EntityField { fields[0] }

  /// The name in messages and explanations: `author, title`.
  package var name: String { fields.count == 1 ? fields[0].name : fields.map(\.name).joined(separator: ", ") }
  /// The path of the first field.
  package var path: FieldPath { fields[0].path }
  /// The name in the file, a part of the name of the index's table.
  package var storedName: String { fields.count == 1 ? fields[0].path.name : paths.name }
  /// The paths of all fields.
  package var paths: IndexPaths { IndexPaths(fields.map(\.path)) }
}
