package import DflatSQLite

/// Commit numbers as stored in the file.
package enum CommitNumber {
  /// The highest commit number. The cache stores commit numbers in 48 bits, which last for eight years at a million
  /// commits per second.
  package static let highest: UInt64 = 1 << 48 - 1

  /// Returns the commit number in a column of the current row.
  ///
  /// - Throws: ``WorkspaceError`` with code `.corrupt` if the value can't be a commit's number.
  package static func read(_ column: Int32, of statement: Statement, in table: String) throws -> UInt64 {
    let number = statement.int64(at: column)
    // By pattern: an enum of another module is compared by a call.
    guard case .integer = statement.type(at: column), number >= 0, number <= highest else {
      throw WorkspaceError(
        .corrupt,
        "A row of '\(table)' in '\(statement.path)' has the commit number \(statement.string(at: column)), which was "
          + "never assigned; restore a backup.", path: statement.path)
    }
    return UInt64(number)
  }

  /// Returns the number of the next commit.
  ///
  /// - Throws: ``WorkspaceError`` with code `.corrupt` after the highest number.
  static func next(after number: UInt64, path: String) throws -> UInt64 {
    guard number < highest else {
      throw WorkspaceError(
        .corrupt, "'\(path)' has commit number \(number), the highest possible one; restore a backup.", path: path)
    }
    return number + 1
  }
}
