/// Receives measurements of a workspace, for a metrics system: see ``SQLiteWorkspace/Options/meter``.
///
///     struct SlowCommits: WorkspaceMeter {
///       func didCommit(_ commit: CommitMeasurement) {
///         if commit.duration > .milliseconds(100) { print("a commit took", commit.duration) }
///       }
///     }
///
/// The product DflatMetrics has a meter for swift-metrics.
public protocol WorkspaceMeter: Sendable {
  /// Receives the measurements of one commit of this workspace. Runs on the delivery queue, after the commit's observers
  /// and completion handlers, so it must not wait for this workspace. Commits of other processes and of other workspaces
  /// on the file aren't measured.
  func didCommit(_ commit: CommitMeasurement)
}

/// The measurements of a commit.
public struct CommitMeasurement: Sendable, Hashable {
  /// The commit's number.
  public let commitNumber: UInt64
  /// The number of transactions, and of flushes of plain writes, that the commit contains.
  public let groupSize: Int
  /// The time from the end of the last transaction's closure until the caches show the commit: writing what is left,
  /// COMMIT with its wait for the disk, and moving the caches.
  public let duration: Duration
  /// The time from then until the commit's observers and completion handlers have run. It includes the wait for those of
  /// earlier commits.
  public let deliveryLag: Duration
  /// The number of pages in the write-ahead log after the commit. A page has 4 KiB, unless the file was created with
  /// another size.
  public let logPages: Int
}
