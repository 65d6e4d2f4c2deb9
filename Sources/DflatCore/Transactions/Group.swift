package import DflatSQLite
package import DflatSupport
import Synchronization

/// An open group of transactions that share one SQLite COMMIT. Only the holder of the write token uses it.
@usableFromInline
package final class Group {
  @usableFromInline package let connection: Connection
  /// The commit number that the group gets if it changes anything.
  package let commitNumber: UInt64
  let startedAt = ContinuousClock.now
  /// Distinguishes this group's row in the change log from one that another process wrote under the same number.
  package let writer = GroupMark.next()
  var members: [Member] = []
  /// The states that participants keep for the group. Not checked for overlapping accesses: every read of a transaction
  /// looks one up.
  @exclusivity(unchecked)
  package var states = StatesByClass()
  /// True if there is something to commit.
  package var hasChanges = false
  /// Records the group's changes for other machines; nil if the workspace isn't replicated.
  var recorder: ChangeRecorder?
  /// The group's record for the cluster's log. Once it is there, the group is committed, whatever happens to the file.
  var record: CommitRecord?

  init(connection: Connection, commitNumber: UInt64) {
    self.connection = connection
    self.commitNumber = commitNumber
  }

  /// Releases the participants' states and the completions, which may hold the last references to users' objects.
  func release() {
    let (states, members) = (states, members)
    self.states = StatesByClass()
    self.members = []
    withExtendedLifetime((states, members)) {}
  }

  /// A caller that waits for the group's outcome, and its own error if it failed alone.
  struct Member: Sendable {
    var completion: Completion
    var failure: (any Error)?
  }

  /// The first SQLite error of the group. It may have made SQLite roll back the whole transaction, which SQLite does
  /// after some errors, even of a SELECT.
  private var firstFailure: SQLiteError?

  /// Returns the error for all members if SQLite rolled back the transaction, or nil while the transaction is open.
  func lostError(path: String) -> WorkspaceError? {
    if connection.isInTransaction { return nil }
    if let firstFailure { return WorkspaceError(firstFailure, path: path, doing: "Using") }
    return WorkspaceError(.sqlite, "SQLite undid a transaction on '\(path)'; try again.", path: path)
  }

  /// Runs queries on the group's connection, and notes their errors. Inlinable, because every query in a transaction
  /// passes through it.
  @inlinable
  package func reading<T>(_ body: (Connection) throws -> T) throws -> T {
    do { return try body(connection) } catch {
      note(error)
      throw error
    }
  }

  /// Notes an error of the group's connection.
  @usableFromInline
  package func note(_ error: any Error) {
    if let error = error as? SQLiteError { firstFailure = firstFailure ?? error }
  }

  /// Undoes a member that has a savepoint.
  func rollBackSavepoint() throws {
    // After SQLITE_FULL and some other errors, SQLite has already rolled back the whole transaction.
    guard connection.isInTransaction else { return try connection.rollBack() }
    try connection.rollBack(.member)
  }
}

extension Savepoint {
  /// The savepoint of a group's member.
  static let member = Savepoint("member")
}

/// Generates numbers that are unique among the groups of all processes.
private enum GroupMark {
  private static let first = UInt64.random(in: .min ... .max)
  private static let count = Atomic<UInt64>(0)

  static func next() -> Int64 {
    let number = first &+ count.add(1, ordering: .relaxed).newValue &* 0x9e37_79b9_7f4a_7c15
    return Int64(bitPattern: number)
  }
}
