import DflatSQLite

/// A ring of rows that record the changes of the newest commits, one row per commit. The highest row number is the
/// commit number.
@usableFromInline
package enum ChangeLog {
  /// The minimum number of commits that a full log keeps. A process that has missed more drops its cache.
  static let capacity: UInt64 = 4_096
  /// The number of commits between two trims of the log.
  static let trimInterval: UInt64 = 256

  /// The changes of one commit: one record per participant.
  @usableFromInline
  package struct Record {
    package let commitNumber: UInt64
    package let bytes: [UInt8]

    package init(commitNumber: UInt64, bytes: [UInt8]) {
      self.commitNumber = commitNumber
      self.bytes = bytes
    }
  }

  /// Returns the number of the newest commit in the connection's view. Every view begins with this call, and so does
  /// every group unless nobody else has committed since this connection did. It checks the tables if the schema has
  /// changed since the last call.
  ///
  /// - Throws: ``WorkspaceError`` with code `.corrupt` if a table isn't this format's.
  static func commitNumber(on connection: Connection) throws -> UInt64 {
    do {
      let statement = try connection.statement(.commitNumber)
      let number = try statement.firstRow { try CommitNumber.read(0, of: $0, in: "dflat_log") } ?? 0
      if connection.hasNewSchema(noticedBy: statement) { try connection.checkAllTables() }
      return number
    } catch let error as SQLiteError where error.isStatementError {
      // The statement may have failed because of a changed schema. Report that instead: it says more.
      try connection.checkAllTables()
      throw error
    }
  }

  /// Writes the row of a commit, and trims the log from time to time.
  ///
  /// - Parameters:
  ///   - commitNumber: The number of the commit.
  ///   - writer: A number that distinguishes the row from one that another process writes under the same number.
  ///   - changes: The participants' records.
  ///   - connection: The write connection, in the transaction that is committed next.
  static func append(commitNumber: UInt64, writer: Int64, changes: [UInt8], on connection: Connection) throws {
    let append = try connection.statement(.appendLog)
    append.bind(Int64(bitPattern: commitNumber), at: 1)
    append.bind(writer, at: 2)
    try changes.withUnsafeBytes { try append.bind(blob: $0, at: 3) }
    try append.run()
    if commitNumber % trimInterval == 0, commitNumber > capacity {
      let trim = try connection.statement(.trimLog)
      trim.bind(Int64(bitPattern: commitNumber - capacity), at: 1)
      try trim.run()
    }
  }

  /// Returns the rows after `number`, oldest first; nil if they don't come in this order. In a damaged file, many paths may
  /// lead to the same page of the table's tree, and its rows would come again and again.
  static func rows(after number: UInt64, on connection: Connection) throws -> [Record]? {
    let statement = try connection.statement(.logAfter)
    statement.bind(Int64(bitPattern: number), at: 1)
    return try statement.reading { () throws -> [Record]? in
      var records: [Record] = []
      while try statement.step() {
        let number = try CommitNumber.read(0, of: statement, in: "dflat_log")
        if let last = records.last, last.commitNumber >= number { return nil }
        records.append(Record(commitNumber: number, bytes: statement.withBytes(at: 1) { [UInt8]($0) }))
      }
      return records
    }
  }

  /// Writes pages without changing anything, so that this transaction's commit overwrites a failed one in the
  /// write-ahead log. No crash can bring the failed commit back then.
  static func overwriteFailedCommit(on connection: Connection) throws {
    try connection.statement(.appendVoid).run()
    try connection.statement(.removeVoid).run()
  }

  /// Returns the writer of a commit; nil if the log doesn't have its row.
  static func writer(of commitNumber: UInt64, on connection: Connection) throws -> Int64? {
    let statement = try connection.statement(.logWriter)
    statement.bind(Int64(bitPattern: commitNumber), at: 1)
    return try statement.firstRow { $0.int64(at: 0) }
  }
}
