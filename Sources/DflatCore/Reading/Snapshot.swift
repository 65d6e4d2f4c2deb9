package import DflatSQLite

/// A read view that is pinned at one commit for the duration of a closure on one thread (A6).
@usableFromInline
package final class Snapshot {
  package enum State {
    case pinned(Reader, commitNumber: UInt64)
    /// Nothing is stored: the file doesn't exist yet.
    case empty
    /// The view couldn't be opened. Reads in the snapshot fail with this error.
    case failed(WorkspaceError)
  }

  package let state: State

  /// The time at which the snapshot reads values that expire.
  package var time = FixedTime()

  /// Records the reads of an observed closure, if one reads in this snapshot.
  package let recorder: ReadRecorder?

  /// The error of the read that made SQLite end the view.
  private var failure: (any Error)?

  init(state: State, recordedBy recorder: ReadRecorder? = nil) {
    self.state = state
    self.recorder = recorder
  }

  /// The commit that the snapshot shows; 0 if nothing is stored.
  package var commitNumber: UInt64 { if case .pinned(_, let number) = state { number } else { 0 } }

  /// Runs queries on the view. Returns nil if nothing is stored.
  ///
  /// - Throws: The error of opening the view, the error of an earlier read that ended the view, or the errors of
  ///   `body`.
  @inlinable
  package func read<T>(_ body: (Connection, _ commitNumber: UInt64) throws -> T) throws -> T? {
    var result: T?
    try lendView { result = try body($0, $1) }
    return result
  }

  /// Runs `body` as `read(_:)` does, but not if nothing is stored.
  @usableFromInline
  func lendView(_ body: (Connection, _ commitNumber: UInt64) throws -> Void) throws {
    if let failure { throw failure }
    switch state {
    case .empty: break
    case .failed(let error): throw error
    case .pinned(let reader, let commitNumber):
      do {
        try body(reader.connection, commitNumber)
        try reader.connection.requireUnchangedFile()
      } catch {
        let cause = reader.connection.cause(ofFailure: error)
        recorder?.noteReadError(cause)
        // SQLite ends the view after some errors. Reading on would show another commit (A6). So would a file that was
        // written while it was read without a log.
        if !reader.connection.isInTransaction || reader.connection.hasChangedFile { failure = cause }
        throw cause
      }
    }
  }
}
