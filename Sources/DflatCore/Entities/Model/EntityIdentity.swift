import DflatSQLite

/// Which stored object an entity is, of which file, and as of which commit.
///
/// A rowid alone says little: another file has other objects under it, and the rowid of an insert that was undone is
/// given to another object. Where the rest doesn't fit, the primary key says which object is meant.
public struct EntityIdentity: Sendable {
  /// At least 1; -1 of an object that was never stored.
  public let rowid: Int64
  /// -1 of an object that was never stored.
  public let commitNumber: Int64
  /// The file's number (`FileNumber`); 0 where it is not known.
  let file: UInt64
  /// The insertion of an object that was handed out before its commit; nil of one that was read from committed rows.
  let insertion: EntityInsertion?

  package init(rowid: Int64, commitNumber: UInt64) {
    self.init(rowid: rowid, commitNumber: commitNumber, file: 0, insertion: nil)
  }

  init(rowid: Int64, commitNumber: UInt64, file: UInt64, insertion: EntityInsertion?) {
    self.rowid = rowid
    self.commitNumber = Int64(bitPattern: commitNumber)
    self.file = file
    self.insertion = insertion
  }

  private init() {
    rowid = -1
    commitNumber = -1
    file = 0
    insertion = nil
  }

  /// Of objects that were made, not read.
  public static let unsaved = EntityIdentity()
}

extension EntityIdentity: Hashable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.rowid == rhs.rowid && lhs.commitNumber == rhs.commitNumber && lhs.file == rhs.file
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rowid) }
}

extension EntityIdentity {
  /// The row that holds the object in a file, or held it if it was deleted since; nil when the primary key has to say
  /// which object is meant: for one that was never stored, that is from another file or a later state of it, or whose
  /// insertion is not committed.
  ///
  /// - Parameters:
  ///   - connection: A connection to the file.
  ///   - commitNumber: The commit that it shows.
  ///   - transaction: The transaction that asks, which knows the insertions of its group.
  func row(on connection: Connection, at commitNumber: UInt64, for transaction: TransactionContext) -> Int64? {
    guard isStored(inFile: connection.fileNumber), self.commitNumber <= Int64(bitPattern: commitNumber) else {
      return nil
    }
    guard let insertion, !insertion.isCommitted else { return rowid }
    return transaction.knows(insertion) ? rowid : nil
  }

  /// True of an object that was read from the file with this number, or written to it.
  func isStored(inFile file: UInt64) -> Bool { rowid >= 0 && file != 0 && file == self.file }
}
