import DflatSQLite

/// A read view that is pinned at one commit for the duration of a closure on one thread (A6).
package final class Snapshot {
  package enum State {
    case pinned(Reader, commitNumber: UInt64)
    /// There is no file yet, so nothing is stored.
    case empty
    /// The view couldn't be opened. Reads in the snapshot fail with this error.
    case failed(WorkspaceError)
  }

  package let state: State

  init(state: State) { self.state = state }
}
