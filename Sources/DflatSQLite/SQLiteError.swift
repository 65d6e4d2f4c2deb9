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
  package var isFull: Bool { code == SQLITE_FULL }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isReadOnly: Bool { code == SQLITE_READONLY || code == SQLITE_PERM }
  package var isCorrupt: Bool { code == SQLITE_CORRUPT }
  package var isNotADatabase: Bool { code == SQLITE_NOTADB }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// A UNIQUE constraint refused the statement, which changed nothing.
  package var isUniqueViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
  /// The statement doesn't fit the schema, for one because a table is not there.
  package var isStatementError: Bool { code == SQLITE_ERROR }
}
