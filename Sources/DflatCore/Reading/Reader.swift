package import DflatSQLite
import Synchronization

/// A read connection whose read view stays open over consecutive loads.
package final class Reader: @unchecked Sendable {  // one owner at a time: the thread that took it out of the pool
  /// Not checked for overlapping accesses, as is the view.
  @exclusivity(unchecked)
  package private(set) var connection: Connection
  /// The commit number of the open view; nil if there is no open view.
  /// Not checked for overlapping accesses: every cold read asks for it.
  @exclusivity(unchecked)
  package private(set) var view: UInt64?
  /// Set by the pool after the view has been open for long. The next use of the reader renews the view.
  let isExpired = Atomic(false)

  /// The index of the pool's stack that the reader belongs to.
  let stack: Int
  private let connect: @Sendable () throws -> Connection
  /// The number of times that a view is renewed again because the file was written meanwhile.
  private static let attempts = 100

  init(stack: Int, connect: @escaping @Sendable () throws -> Connection) throws {
    self.stack = stack
    self.connect = connect
    connection = try connect()
  }

  /// True if the connection shows a file as it was before somebody began to write to it.
  var isOutdated: Bool {
    // Almost all connections see changes.
    if connection.immutableFile == nil { return false }
    return connection.immutableFile?.isOutdated ?? false
  }

  /// Opens a view at the newest commit, and returns the commit's number.
  ///
  /// - Parameter epoch: The publication's epoch before the call.
  /// - Throws: ``WorkspaceError`` with code `.busy` if another program writes to the file all the time without a log.
  func renew(in epoch: Int) throws -> UInt64 {
    for _ in 0..<Self.attempts {
      close()
      if isOutdated {
        let current = try connect()
        connection.close()
        connection = current
      }
      let number = try open()
      // A file that was written meanwhile may have a newer commit than the one that was read.
      if isOutdated { continue }
      connection.epoch = epoch
      view = number
      return number
    }
    close()
    throw WorkspaceError(
      .busy, "'\(connection.path)' is written all the time without a write-ahead log; try again later.",
      path: connection.path)
  }

  private func open() throws -> UInt64 {
    try connection.begin()
    do {
      isExpired.store(false, ordering: .relaxed)
      return try ChangeLog.commitNumber(on: connection)
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
