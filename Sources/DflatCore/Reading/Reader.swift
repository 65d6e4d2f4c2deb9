package import DflatSQLite
import Synchronization

/// A read connection with the read view that it keeps open over consecutive loads.
package final class Reader: @unchecked Sendable {  // used by one thread at a time: whoever took it out of the pool
  package let connection: Connection
  /// The commit number of the open view; nil when there is none.
  package private(set) var view: UInt64?
  /// Set by the pool when the view has been open for long: it is renewed before its next use.
  let isExpired = Atomic(false)

  /// Which of the pool's stacks it belongs to.
  let stack: Int

  init(connection: Connection, stack: Int) {
    self.connection = connection
    self.stack = stack
  }

  /// A view at the newest commit.
  func renew() throws -> UInt64 {
    close()
    try connection.statement(.begin).run()
    do {
      isExpired.store(false, ordering: .relaxed)
      let number = try ChangeLog.commitNumber(on: connection)
      view = number
      return number
    } catch {
      close()
      throw error
    }
  }

  /// Closes the connection. The reader is not to be used afterwards.
  func disconnect() {
    close()
    connection.close()
  }

  /// Lets go of the view, so that it holds back no checkpoint.
  func close() {
    view = nil
    // A read transaction has nothing to lose: whatever ROLLBACK answers, it is over.
    if connection.isInTransaction { try? connection.statement(.rollback).run() }
  }
}
