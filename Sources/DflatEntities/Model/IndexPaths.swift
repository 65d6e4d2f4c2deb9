import DflatSupport

/// The locations of an index's values in an object's bytes, one for each column of its table.
///
///     index over     name       definition
///     author         f6         string:6
///     author, stars  f6+f10     fields:8:string:6/17:scalar:10:int32:0/
package struct IndexPaths: Hashable, Sendable {
  /// The maximum number of fields in an index.
  package static let maximumCount = 8

  package let fields: [FieldPath]

  package init(_ fields: [FieldPath]) { self.fields = fields }

  /// The name in the file, a part of the name of the index's table. It determines the names of the columns.
  package var name: String {
    fields.count == 1 ? fields[0].name : StoredNames.indexPath(fields.map(\.name))
  }
}
