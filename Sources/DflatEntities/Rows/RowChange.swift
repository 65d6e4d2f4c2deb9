/// The net change of one row by a group.
package struct RowChange: Sendable {
  package let rowid: Int64
  /// The row before the group; nil if it didn't exist.
  package let old: StoredEntity?
  /// The row at the group's COMMIT, with its object, whose identity names the group's commit; nil if it was deleted.
  package let new: StoredEntity?
}
