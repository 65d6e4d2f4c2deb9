package import DflatCore

/// A change of a table of objects by a commit in the change log.
package struct LoggedTableChange: Sendable {
  package let table: String
  /// The changed rows, ascending; nil if any row may have changed: they are too many for the log.
  package let rowids: [Int64]?
}

extension LoggedCommit {
  /// The changes of objects, by table; nil if any table may have changed.
  package var tableChanges: [LoggedTableChange]? {
    switch record(of: EntityRecord.kind) {
    case .none: []
    case .found(let reader): EntityRecord.decode(reader)?.map { LoggedTableChange(table: $0.name, rowids: $0.rowids) }
    case .damaged: nil
    }
  }
}
