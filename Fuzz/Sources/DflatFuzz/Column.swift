@testable import DflatSQLite

/// A statement that returns its bound value as SQLite stores it, without a table.
nonisolated(unsafe) let column = attempt {
  try Connection(path: ":memory:", mode: .readWrite, busyTimeout: .zero).kept { try $0.prepare("SELECT ?1") }
}

extension Connection {
  /// Returns a statement whose connection stays open for the rest of the process.
  fileprivate func kept(_ statement: (Connection) throws -> Statement) rethrows -> Statement {
    _ = Unmanaged.passRetained(self)
    return try statement(self)
  }
}
