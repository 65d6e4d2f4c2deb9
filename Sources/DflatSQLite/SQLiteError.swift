import CSQLite

/// What SQLite said when a call failed.
///
/// The values that a statement was given are never part of it; the statement's text, which holds placeholders alone, is.
///
///     do { try workspace.dictionary.synchronize() } catch let error as WorkspaceError {
///       print(error.sqlite?.extendedCode ?? 0)
///     }
///
/// Codes: <https://www.sqlite.org/rescode.html>.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The primary result code, for example 13 (`SQLITE_FULL`).
  public let code: Int32
  /// The extended result code, for example 1034 (`SQLITE_IOERR_FSYNC`).
  public let extendedCode: Int32
  /// SQLite's own message.
  public let message: String
  /// The statement that failed, with its placeholders.
  public let sql: String?

  package init(extendedCode: Int32, message: String, sql: String? = nil) {
    self.code = extendedCode & 0xff
    self.extendedCode = extendedCode
    self.message = message
    self.sql = sql
  }

  /// Code, message and statement, for logs.
  public var description: String {
    let suffix = sql.map { ", in: \($0)" } ?? ""
    return "SQLite \(extendedCode): \(message)\(suffix)"
  }
}

extension SQLiteError {
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// The log's locks were in use for longer than SQLite tries.
  package var isLockingFailure: Bool { code == SQLITE_PROTOCOL }
  package var isFull: Bool { code == SQLITE_FULL }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isReadOnly: Bool { code == SQLITE_READONLY || code == SQLITE_PERM }
  /// The file may be written, but SQLite can't make its log beside it.
  package var isReadOnlyFolder: Bool { extendedCode == SQLITE_READONLY | (6 << 8) }
  /// The file was moved or deleted while it was open.
  package var isMoved: Bool { extendedCode == SQLITE_READONLY | (4 << 8) }
  package var isOutOfMemory: Bool { code == SQLITE_NOMEM || extendedCode == SQLITE_IOERR | (12 << 8) }
  /// A checksum in the database says that a page is not what was written.
  private var isBadChecksum: Bool { extendedCode == SQLITE_IOERR | (32 << 8) }
  package var isCorrupt: Bool { code == SQLITE_CORRUPT || isBadChecksum }
  /// A constraint of the file's refused what a sound file takes.
  package var isContradiction: Bool { code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH }
  package var isNotADatabase: Bool { code == SQLITE_NOTADB || code == SQLITE_FORMAT }
  package var isFolder: Bool { extendedCode == SQLITE_CANTOPEN | (2 << 8) }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// A UNIQUE constraint refused the statement, which changed nothing.
  package var isUniqueViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
  /// The statement doesn't fit the schema, for one because a table is not there.
  package var isStatementError: Bool { code == SQLITE_ERROR }
  /// A query or a change was refused although its text is right for this library's tables: the file has others.
  package var isSchemaMismatch: Bool {
    guard isStatementError, let sql else { return false }
    return ["SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "DROP"].contains { sql.hasPrefix($0) }
  }
}
