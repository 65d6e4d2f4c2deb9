/// The identity of a stored object: its file, its row, and the commit that it was read at or written by.
///
/// A rowid alone doesn't identify an object: another file uses it for another object, and after an undone insertion a
/// later insertion may get the same rowid. If file or insertion don't match, the primary key identifies the object.
public struct EntityIdentity: Sendable {
  /// The object's rowid, at least 1; -1 if the object was never stored.
  public let rowid: Int64
  /// The commit that the object was read at or written by; -1 if the object was never stored.
  public let commitNumber: Int64
  /// The file's number (`FileIdentity`); 0 if unknown.
  let file: UInt64
  /// The insertion, if the object was handed out before its commit; nil if it was read from committed rows.
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

  /// The identity of objects that were created, not read.
  public static let unsaved = EntityIdentity()
}

extension EntityIdentity: Hashable {
  /// Compares rowid, commit number and file, but not the insertion.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.rowid == rhs.rowid && lhs.commitNumber == rhs.commitNumber && lhs.file == rhs.file
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(rowid) }
}

extension EntityIdentity {
  /// Returns true if the object was read from, or written to, the file with this number.
  func isStored(inFile file: UInt64) -> Bool { rowid >= 0 && file != 0 && file == self.file }
}
