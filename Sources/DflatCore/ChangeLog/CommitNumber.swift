package import DflatSQLite

/// Commit numbers, as the file holds them.
package enum CommitNumber {
  /// The cache keeps a number in 48 bits, which a million commits a second use up in eight years.
  package static let highest: UInt64 = 1 << 48 - 1

  /// The number in a column of the current row.
  ///
  /// - Throws: `.corrupt` for anything that no commit was ever given.
  package static func read(_ column: Int32, of statement: Statement, in table: String) throws -> UInt64 {
    let number = statement.int64(at: column)
    guard statement.type(at: column) == .integer, number >= 0, number <= highest else {
      throw WorkspaceError(
        .corrupt,
        "A row of '\(table)' in '\(statement.path)' has the commit number \(statement.string(at: column)), which no commit "
          + "was ever given; restore a backup.", path: statement.path)
    }
    return UInt64(number)
  }

  /// The number of the commit after another one.
  static func next(after number: UInt64, path: String) throws -> UInt64 {
    guard number < highest else {
      throw WorkspaceError(
        .corrupt, "'\(path)' has commit number \(number), after which there is none; restore a backup.", path: path)
    }
    return number + 1
  }
}
