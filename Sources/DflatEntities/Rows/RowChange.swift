/// An object's bytes, with the object if it has been decoded.
package struct StoredEntity: Sendable {
  package let bytes: [UInt8]
  package let object: (any Atom)?

  package init(bytes: [UInt8], object: (any Atom)?) {
    self.bytes = bytes
    self.object = object
  }
}

/// The net change of one row by a group.
package struct RowChange: Sendable {
  package let rowid: Int64
  /// The row before the group; nil if it didn't exist.
  package let old: StoredEntity?
  /// The row at the group's COMMIT, with its object, whose identity names the group's commit; nil if it was deleted.
  package let new: StoredEntity?
}

/// The net changes of a table in one commit.
package enum TableChange: Sendable {
  /// Each changed row once, in ascending order of rowids.
  case rows([RowChange])
  /// Each changed rowid once, in ascending order. The rows have to be read from the file.
  case rowids([Int64])
  /// Any row may have changed.
  case unknown
}
