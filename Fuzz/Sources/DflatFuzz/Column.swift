@testable import DflatSQLite

/// A column without a table: what is bound comes back as SQLite keeps it.
nonisolated(unsafe) let column = attempt {
  try Connection(path: ":memory:", mode: .readWrite, busyTimeout: .zero).kept { try $0.prepare("SELECT ?1") }
}

extension Connection {
  /// A statement of a connection that stays open.
  fileprivate func kept(_ statement: (Connection) throws -> Statement) rethrows -> Statement {
    _ = Unmanaged.passRetained(self)
    return try statement(self)
  }
}
