import DflatSQLite

/// The ring of rows that say what the newest commits changed, one row a commit; its highest row is the commit number.
package enum ChangeLog {
  /// Commits that the log remembers. A process that missed more drops its cache.
  static let capacity: UInt64 = 4_096
  /// The log is trimmed once in so many commits.
  static let trimInterval: UInt64 = 256

  /// One commit's changes: for each participant its record.
  package struct Record {
    package let commitNumber: UInt64
    package let bytes: [UInt8]

    package init(commitNumber: UInt64, bytes: [UInt8]) {
      self.commitNumber = commitNumber
      self.bytes = bytes
    }
  }

  /// The newest commit in the connection's view. Every view and every group begins with it: a schema that has changed since
  /// the last time is checked here.
  static func commitNumber(on connection: Connection) throws -> UInt64 {
    do {
      let statement = try connection.statement(.commitNumber)
      let number = try statement.firstRow { try CommitNumber.read(0, of: $0, in: "dflat_log") } ?? 0
      if connection.hasNewSchema(noticedBy: statement) { try TableFormat.requireSoundFile(connection) }
      return number
    } catch let error as SQLiteError where error.isStatementError {
      // The statement may not fit the schema because that is another one now, which says more.
      try TableFormat.requireSoundFile(connection)
      throw error
    }
  }

  static func append(_ group: Group, changes: [UInt8]) throws {
    let number = Int64(bitPattern: group.commitNumber)
    let append = try group.connection.statement(.appendLog)
    append.bind(number, at: 1)
    append.bind(group.writer, at: 2)
    try changes.withUnsafeBytes { try append.bind(blob: $0, at: 3) }
    try append.run()
    if group.commitNumber % trimInterval == 0, group.commitNumber > capacity {
      let trim = try group.connection.statement(.trimLog)
      trim.bind(Int64(bitPattern: group.commitNumber - capacity), at: 1)
      try trim.run()
    }
  }

  /// The rows after `number`, oldest first.
  static func rows(after number: UInt64, on connection: Connection) throws -> [Record] {
    var records: [Record] = []
    let statement = try connection.statement(.logAfter)
    statement.bind(Int64(bitPattern: number), at: 1)
    try statement.forEachRow { row in
      let number = try CommitNumber.read(0, of: row, in: "dflat_log")
      records.append(Record(commitNumber: number, bytes: row.withBytes(at: 1) { [UInt8]($0) }))
    }
    return records
  }

  /// Writes pages and changes nothing, so that the commit of this transaction takes the place of one that failed in the
  /// write-ahead log: no crash can bring that one back then.
  static func overwriteFailedCommit(on connection: Connection) throws {
    try connection.statement(.appendVoid).run()
    try connection.statement(.removeVoid).run()
  }

  /// True when the row of `group`'s number is its own.
  static func holds(_ group: Group, on connection: Connection) throws -> Bool {
    let statement = try connection.statement(.logWriter)
    statement.bind(Int64(bitPattern: group.commitNumber), at: 1)
    return try statement.firstRow { $0.int64(at: 0) } == group.writer
  }
}
