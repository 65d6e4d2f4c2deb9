import CSQLite

/// An error that SQLite returned.
///
/// It contains the text of the statement, which has placeholders only, but never the bound values.
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
  public var description: String { description(besides: "") }

  /// Returns the description without SQLite's message if `text`, which precedes it, already contains that.
  package func description(besides text: String) -> String {
    let middle = text.contains(message) ? "" : ": \(message)"
    let suffix = sql.map { ", in: \($0)" } ?? ""
    return "SQLite \(extendedCode)\(middle)\(suffix)"
  }
}

extension SQLiteError {
  package var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
  /// True if SQLite gave up because the log's locks were in use for too long.
  package var isLockingFailure: Bool { code == SQLITE_PROTOCOL }
  package var isFull: Bool { code == SQLITE_FULL }
  package var isInputOutput: Bool { code == SQLITE_IOERR }
  package var isReadOnly: Bool { code == SQLITE_READONLY || code == SQLITE_PERM }
  /// True if the file is writable but SQLite can't create its log next to it.
  package var isReadOnlyFolder: Bool { extendedCode == SQLITE_READONLY | (6 << 8) }
  /// True if the file was moved or deleted while it was open.
  package var isMoved: Bool { extendedCode == SQLITE_READONLY | (4 << 8) }
  package var isOutOfMemory: Bool { code == SQLITE_NOMEM || extendedCode == SQLITE_IOERR | (12 << 8) }
  /// True if a page doesn't match its checksum.
  private var isBadChecksum: Bool { extendedCode == SQLITE_IOERR | (32 << 8) }
  package var isCorrupt: Bool { code == SQLITE_CORRUPT || isBadChecksum }
  /// True if a constraint in the file rejected a value that a sound file accepts.
  package var isContradiction: Bool { code == SQLITE_CONSTRAINT || code == SQLITE_MISMATCH }
  package var isNotADatabase: Bool { code == SQLITE_NOTADB || code == SQLITE_FORMAT }
  package var isFolder: Bool { extendedCode == SQLITE_CANTOPEN | (2 << 8) }
  package var isCannotOpen: Bool { code == SQLITE_CANTOPEN }
  package var isTooBig: Bool { code == SQLITE_TOOBIG }
  /// True if a UNIQUE constraint rejected the statement. The statement changed nothing.
  package var isUniqueViolation: Bool { extendedCode == SQLITE_CONSTRAINT | (8 << 8) }
  /// True if the statement doesn't fit the schema, for example because a table is missing.
  package var isStatementError: Bool { code == SQLITE_ERROR }
  /// True if SQLite rejected a statement whose text is right for this package's files: the file's tables differ, or its
  /// header has changed since it was opened.
  package var isSchemaMismatch: Bool {
    guard isStatementError, let sql else { return false }
    return ["SELECT", "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "DROP", "PRAGMA"].contains {
      sql.hasPrefix($0)
    }
  }
}
