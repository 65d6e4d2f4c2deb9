import DflatSQLite

/// A read view pinned at one commit number, for the length of a closure on one thread (A6).
package final class Snapshot {
  package enum State {
    case pinned(Reader, commitNumber: UInt64)
    /// There is no file yet: nothing is stored.
    case empty
    /// The view could not be taken. Reads inside fail with this.
    case failed(WorkspaceError)
  }

  package let state: State

  init(state: State) { self.state = state }
}
