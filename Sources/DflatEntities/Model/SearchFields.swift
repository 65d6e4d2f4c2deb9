import DflatSupport

/// The texts that one full-text index covers: the searchable fields of a type, in the order of their declaration.
///
/// A type whose searchable fields change gets another index, with another name. The index has one column for each
/// field, with the name of the field's path.
package struct SearchFields: Hashable, Sendable {
  package let paths: [FieldPath]

  /// Returns nil without fields.
  package init?(_ paths: [FieldPath]) {
    if paths.isEmpty { return nil }
    self.paths = paths
  }

  /// The name in the file's list of indexes, `search__f4___f10` for example. Names of paths have no three underscores
  /// in a row, and begin with another letter.
  package var name: String { StoredNames.searchIndex(over: paths.map(\.name)) }

  /// The names of the columns.
  package var columns: [String] { paths.map(\.name) }

  /// Returns the name of the index's table.
  package func table(of entity: String) -> String { StoredNames.indexTable(of: entity, path: name) }

  package func contains(_ others: [FieldPath]) -> Bool { others.allSatisfy(paths.contains) }
}
