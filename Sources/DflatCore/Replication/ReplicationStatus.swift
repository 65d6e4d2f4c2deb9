/// The state of a replica, and how far it has come.
public struct ReplicationStatus: Sendable, Hashable {
  /// The activities of a replica.
  public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// The cluster has not answered yet since the workspace was opened.
    case connecting
    /// The file has every commit that this process knows of.
    case connected
    /// Other machines have newer commits, which are being applied.
    case behind
    /// The connection was lost during a commit, and the cluster hasn't said yet whether it has it.
    case resolving
    /// The cluster can't be reached, or refuses the program's credentials or commits (``WorkspaceReplication/error``).
    /// Reads, queries and observers go on, as of ``commitNumber``, and plain writes wait.
    case unavailable
    /// The file can't follow its cluster any more; the error handler has received the reason.
    case stopped
  }

  /// The present activity of the replica.
  public var phase: Phase
  /// The newest commit that this machine has.
  public var commitNumber: UInt64
  /// The newest commit of all machines that this process knows of.
  public var clusterCommitNumber: UInt64
  /// True while this process has the right to append commits. It keeps it until another process asks.
  public var holdsTurn: Bool
  /// The time since the cluster's last answer, when the status was asked for or reported; nil if there was none yet. While
  /// the phase is `unavailable`, it is the age of what this machine has.
  public var timeSinceContact: Duration?
}
