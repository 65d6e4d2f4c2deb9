package import DflatSQLite

/// A part of the workspace that keeps something in the file and a cache of it in memory: the dictionary, for one.
///
/// The pipeline tells it of each step of a group. All calls but `publish…` and `reset` come from the holder of the baton;
/// those, and `prepare`, come one at a time, under the publication lock, in commit order, and give what is to be delivered to
/// observers afterwards. No call runs user code (A11).
package protocol Participant: AnyObject, Sendable {
  /// Its number in the change log; part of the file format.
  var recordKind: UInt8 { get }

  /// True when writes that belong to no transaction wait to be drained.
  var hasPendingWrites: Bool { get }

  /// Applies the writes that belong to no transaction and were accepted up to now (A5).
  /// A write that fails alone is reported by the participant; an error thrown fails the group.
  func drain(into group: Group) throws

  /// The writes that wait can't even be begun: forget and report them (A7).
  func failPendingWrites(because error: WorkspaceError)

  /// Writes what a transaction staged, inside its savepoint.
  func apply(_ transaction: TransactionContext, to group: Group) throws

  /// The savepoint was released: what was written is the group's.
  func adopt(_ transaction: TransactionContext, into group: Group)

  /// True when another process changed, after a commit, what a transaction declared.
  func hasForeignChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool

  /// The group is complete: write what is written once for all of it. An error fails the group.
  func finish(_ group: Group) throws

  /// What of the group's changes goes into the change log; nil for nothing.
  func changeRecord(for group: Group) -> [UInt8]?

  /// The group is about to be committed: read what `publish` will need while the write connection shows it. Runs under the
  /// publication lock, and moves nothing: the COMMIT may fail.
  func prepare(_ group: Group)

  /// The group is committed: move the cache (A2).
  func publish(_ group: Group) -> [Delivery]

  /// The group ended without a change: nothing of it is waited for any more.
  func conclude(_ group: Group)

  /// The group failed: forget it, and report the plain writes that it carried (A7).
  func discard(_ group: Group, because error: WorkspaceError)

  /// Another process's commits, oldest first (A9). The connection has a read view at the last of them. Reads what the move
  /// needs, and moves nothing: what fails is tried again, for all participants.
  func publish(foreign records: [ChangeLog.Record], on connection: Connection) throws -> ForeignMove

  /// Drops the cache, and compares observed keys and objects with the file, as nobody knows what changed. Moves nothing yet,
  /// as above.
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> ForeignMove

  /// Shutdown has begun: writes that belong to no transaction are refused from now on.
  func stopAcceptingWrites()

  /// The workspace is closed. Runs on the delivery queue, as the last of it.
  func end()
}

/// Moves a participant's cache to other processes' commits. Only that of the first participant may throw, and then before it
/// moves anything: the others' moves come after it.
package typealias ForeignMove = () throws -> [Delivery]

/// One callback that is due, run on the delivery queue.
package typealias Delivery = @Sendable () -> Void
