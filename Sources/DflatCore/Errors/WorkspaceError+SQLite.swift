package import DflatSQLite

extension WorkspaceError {
  /// Creates an error that explains an SQLite error.
  package init(_ error: SQLiteError, path: String, doing what: String) {
    let (code, advice) = Self.explanation(of: error)
    self.init(code, "\(what) '\(path)': \(advice).", path: path, sqlite: error)
  }

  /// Returns the code for an SQLite error, and advice for its message.
  private static func explanation(of error: SQLiteError) -> (Code, String) {
    // Check extended codes first if they mean something else than their primary code.
    if error.isOutOfMemory { return (.outOfMemory, "memory ran out; free some and try again") }
    if error.isReadOnlyFolder { return (.cannotOpen, "its folder can't be written; check the folder's permissions") }
    if error.isMoved { return (.cannotOpen, "the file was moved or deleted while it was open; open it again") }
    if error.isFolder { return (.isDirectory, "it is a folder; give the path of a file in it") }
    if error.isCorrupt { return (.corrupt, "the file is damaged; restore a backup") }
    if error.isContradiction { return (.corrupt, "its tables contradict each other; restore a backup") }
    if error.isSchemaMismatch {
      return (.corrupt, "its header or tables don't have this library's format; restore a backup")
    }
    if error.isFull { return (.diskFull, "the disk is full; free some space and try again") }
    if error.isBusy || error.isLockingFailure {
      return (.busy, "another process holds its lock; try again, or raise the busy timeout")
    }
    if error.isNotADatabase { return (.notADatabase, "it is not an SQLite database; choose another path") }
    if error.isReadOnly { return (.readOnly, "the file is read-only; check its permissions") }
    if error.isCannotOpen { return (.cannotOpen, "it can't be opened; check its permissions and those of its folder") }
    if error.isInputOutput { return (.inputOutput, "the system failed to read or write; check the disk") }
    if error.isTooBig { return (.tooLarge, "a value is larger than SQLite can store") }
    return (.sqlite, "SQLite failed: \(error.message)")
  }

  /// Returns the error of a read if the file can't be read, or was written meanwhile; nil if only the requested data is at
  /// fault, such as a value that can't be decoded.
  static func failureToRead(_ error: any Error, path: String) -> WorkspaceError? {
    let wrapped = wrapping(error, path: path, doing: "Reading")
    let isFailure =
      error is SQLiteError ? wrapped.code != .tooLarge : wrapped.code == .corrupt || wrapped.code == .conflict
    return isFailure ? wrapped : nil
  }

  /// Returns the error for a damaged tree, whose rows don't come in its order.
  package static func rowsOutOfOrder(in table: String, path: String) -> WorkspaceError {
    WorkspaceError(
      .corrupt, "'\(path)' has rows in '\(table)' that are not in order; check the file, and restore a backup.",
      path: path)
  }

  /// Returns the error itself if it is a ``WorkspaceError``, or wraps it in one.
  package static func wrapping(_ error: any Error, path: String, doing what: String) -> WorkspaceError {
    switch error {
    case let error as WorkspaceError: error
    case let error as SQLiteError: WorkspaceError(error, path: path, doing: what)
    default: WorkspaceError(.sqlite, "\(what) '\(path)' failed.", path: path, underlying: error)
    }
  }
}
