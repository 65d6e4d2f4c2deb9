package import DflatSQLite

extension WorkspaceError {
  /// Puts an SQLite error into the words of this package.
  package init(_ error: SQLiteError, path: String, doing what: String) {
    let (code, advice): (Code, String) =
      if error.isFull {
        (.diskFull, "the disk is full; make room and try again")
      } else if error.isBusy {
        (.busy, "another process holds its lock; try again, or raise the busy timeout")
      } else if error.isNotADatabase {
        (.notADatabase, "it is not an SQLite database; choose another path")
      } else if error.isCorrupt {
        (.corrupt, "the file is damaged; restore a backup")
      } else if error.isReadOnly {
        (.readOnly, "the file is read-only; check its permissions")
      } else if error.isCannotOpen {
        (.cannotOpen, "it can't be opened; check the folder and its permissions")
      } else if error.isInputOutput {
        (.inputOutput, "the system failed to read or write; check the disk")
      } else if error.isTooBig {
        (.tooLarge, "a value is larger than SQLite stores")
      } else {
        (.sqlite, "SQLite failed")
      }
    self.init(code, "\(what) '\(path)': \(advice).", path: path, sqlite: error)
  }

  /// The error as one of this package's, whatever was thrown.
  package static func wrapping(_ error: any Error, path: String, doing what: String) -> WorkspaceError {
    switch error {
    case let error as WorkspaceError: error
    case let error as SQLiteError: WorkspaceError(error, path: path, doing: what)
    default: WorkspaceError(.sqlite, "\(what) '\(path)' failed.", path: path, underlying: error)
    }
  }
}
