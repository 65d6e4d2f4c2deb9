package import DflatSQLite
import Synchronization

/// A read connection whose read view stays open over consecutive loads.
package final class Reader: @unchecked Sendable {  // one owner at a time: the thread that took it out of the pool
  package let connection: Connection
  /// The commit number of the open view; nil if there is no open view.
  /// Not checked for overlapping accesses: every cold read asks for it.
  @exclusivity(unchecked)
  package private(set) var view: UInt64?
  /// Set by the pool after the view has been open for long. The next use of the reader renews the view.
  let isExpired = Atomic(false)

  /// The index of the pool's stack that the reader belongs to.
  let stack: Int

  init(connection: Connection, stack: Int) {
    self.connection = connection
    self.stack = stack
  }

  /// Opens a view at the newest commit, and returns the commit's number.
  func renew() throws -> UInt64 {
    close()
    try connection.begin()
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

  /// Closes the connection. The reader must not be used afterwards.
  func disconnect() {
    close()
    connection.close()
  }

  /// Closes the view, so that it doesn't hold back a checkpoint.
  func close() {
    view = nil
    connection.endUnchanged()
  }
}
