/// The net changes of a table in one commit.
package enum TableChange: Sendable {
  /// Each changed row once, in ascending order of rowids.
  case rows([RowChange])
  /// Each changed rowid once, in ascending order. The rows have to be read from the file.
  case rowids([Int64])
  /// Any row may have changed.
  case unknown
}
