import DflatCore
import DflatSQLite

extension EntityIdentity {
  /// Returns the row that holds the object, or held it before a deletion. Returns nil if only the primary key can
  /// identify the object: it was never stored, comes from another file or a later state of this one, or its insertion
  /// isn't committed.
  ///
  /// - Parameters:
  ///   - connection: A connection to the file.
  ///   - commitNumber: The commit that the connection shows.
  ///   - transaction: The transaction that looks for the object. It knows its group's insertions.
  func row(on connection: Connection, at commitNumber: UInt64, for transaction: TransactionContext) -> Int64? {
    guard isStored(inFile: connection.fileIdentity), self.commitNumber <= Int64(bitPattern: commitNumber) else {
      return nil
    }
    guard let insertion, !insertion.isCommitted else { return rowid }
    return transaction.knows(insertion) ? rowid : nil
  }
}

extension TransactionContext {
  /// Returns true if the insertion belongs to this transaction or to an earlier one in its group. Not called by a
  /// transaction without a group: its view is older than such objects.
  func knows(_ insertion: EntityInsertion) -> Bool {
    if insertion.isAdopted(in: workspace.number) { return true }
    return staged[TransactionEntities.self]?.insertions.contains { $0 === insertion } == true
  }
}
