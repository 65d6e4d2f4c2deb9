package import DflatSQLite
import Synchronization

/// The transactions that one SQLite COMMIT carries, while it is open. Used by the holder of the baton alone.
package final class Group {
  package let connection: Connection
  /// The commit number that the group gets if it changes something.
  package let commitNumber: UInt64
  let startedAt = ContinuousClock.now
  /// Tells this group's change-log row from one that another process wrote under the same number.
  let writer = WriterNumber.next()
  var members: [Member] = []
  /// What each participant keeps for the group, by its record kind.
  package var states = ParticipantStates()
  /// True when there is something to commit.
  package var hasChanges = false

  init(connection: Connection, commitNumber: UInt64) {
    self.connection = connection
    self.commitNumber = commitNumber
  }

  /// Someone who waits for the group's outcome, and the error of a member that failed by itself.
  struct Member: Sendable {
    var completion: Completion
    var failure: (any Error)?
  }

  /// What made SQLite roll the whole transaction back by itself, as it does after some errors, even of a SELECT.
  private var firstFailure: SQLiteError?

  /// Nil while the transaction is open; else what all its members are told.
  func lostError(path: String) -> WorkspaceError? {
    if connection.isInTransaction { return nil }
    if let firstFailure { return WorkspaceError(firstFailure, path: path, doing: "Using") }
    return WorkspaceError(.sqlite, "SQLite undid a transaction on '\(path)'; try again.", path: path)
  }

  /// Runs queries on the group's connection.
  package func reading<T>(_ body: (Connection) throws -> T) throws -> T {
    do { return try body(connection) } catch {
      note(error)
      throw error
    }
  }

  /// Notes an error of the group's connection.
  func note(_ error: any Error) {
    if let error = error as? SQLiteError { firstFailure = firstFailure ?? error }
  }

  func rollBackSavepoint() throws {
    connection.knowledge = nil
    // After SQLITE_FULL and some others SQLite has rolled back the whole transaction by itself.
    guard connection.isInTransaction else { return }
    try connection.statement(.rollbackToSavepoint).run()
    try connection.statement(.release).run()
  }
}

/// How the outcome of a transaction reaches whoever asked for it.
package struct Completion: Sendable {
  /// True for callbacks of the user: they run on the delivery queue, after the observers. Blocked threads follow the
  /// observers too (A4), but are woken at once when there is none.
  var isUserCode: Bool
  /// False for a caller that must not wait for observers, because it is one.
  var followsObservers: Bool
  var run: @Sendable (Result<Void, any Error>) -> Void

  /// Nobody asks.
  package static let ignored = waking { _ in }

  /// Wakes someone as soon as the outcome is known.
  package static func waking(_ body: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Completion {
    Completion(isUserCode: false, followsObservers: false, run: body)
  }
}

/// Numbers that no two groups share, of whatever processes.
private enum WriterNumber {
  private static let first = UInt64.random(in: .min ... .max)
  private static let count = Atomic<UInt64>(0)

  static func next() -> Int64 {
    let number = first &+ count.add(1, ordering: .relaxed).newValue &* 0x9e37_79b9_7f4a_7c15
    return Int64(bitPattern: number)
  }
}
