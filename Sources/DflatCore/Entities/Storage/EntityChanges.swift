/// An object's bytes, and the object if somebody has decoded it.
package struct StoredEntity: Sendable {
  package let bytes: [UInt8]
  package let object: (any Atom)?

  package init(bytes: [UInt8], object: (any Atom)?) {
    self.bytes = bytes
    self.object = object
  }
}

/// What a group did to one row, from before the group to its COMMIT.
package struct EntityChange: Sendable {
  package let rowid: Int64
  /// Nil when the row was not there.
  package let old: StoredEntity?
  /// Nil when the row is gone. With an object, whose identity names the group's commit.
  package let new: StoredEntity?
}

/// The net changes of a table in one commit.
package enum TableChanges: Sendable {
  /// Each row once, in ascending order of rowids.
  case rows([EntityChange])
  /// The rows alone, each once, in ascending order: what was and is in them is to be read from the file.
  case rowids([Int64])
  /// Any row may have changed.
  case unknown
}
