package import DflatSQLite

/// A component that stores something in the file and caches it in memory, such as the dictionary. `ParticipantTables`
/// is its part of the file.
///
/// The pipeline notifies each participant at every step of a group. The holder of the write token makes all calls
/// except `begin`, `publish`, `reset`, `track`, `stopTracking`, `stopAcceptingWrites` and `end`. Calls of `begin`,
/// `prepare`, `publish` and `reset` run one at a time, under the publication lock, in commit order; `publish` and
/// `reset` return the callbacks to deliver to observers afterwards. No call runs user code (A11).
@usableFromInline
package protocol Participant: AnyObject, Sendable {
  /// The participant's number in the change log, which is part of the file format. It is different for each
  /// participant, and less than `ParticipantSlots.count` if `WorkspaceCore.participant(_:)` creates the participant.
  static var recordKind: UInt8 { get }

  /// Begins to take part after this commit. The participant has learned of no change up to it, but may still be asked
  /// to read older views. Runs under the publication lock.
  func begin(after commitNumber: UInt64)

  /// True while plain writes, which belong to no transaction, wait to be drained.
  var hasPendingWrites: Bool { get }

  /// Applies all plain writes that were accepted before this call (A5). The participant reports a write that fails
  /// alone. A thrown error fails the group.
  func drain(into group: Group) throws

  /// Drops and reports the waiting plain writes because no group could begin for them (A7).
  func failPendingWrites(because error: WorkspaceError)

  /// Writes the transaction's staged changes, inside its savepoint.
  func apply(_ transaction: TransactionContext, to group: Group) throws

  /// Adds the transaction's changes to the group's after its savepoint was released.
  func merge(_ transaction: TransactionContext, into group: Group)

  /// Returns true if another process changed, after the given commit, something that the transaction declared.
  func hasExternalChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool

  /// Writes the data that is written once per group, after the last member. An error fails the group.
  func finish(_ group: Group) throws

  /// Returns the group's record for the change log; nil if there is nothing to record.
  func changeRecord(for group: Group) -> [UInt8]?

  /// Reads the data that `publish(_:)` needs while the write connection shows it, right before the COMMIT. Runs under
  /// the publication lock, and doesn't move the cache because the COMMIT may fail.
  func prepare(_ group: Group)

  /// Moves the cache to the group's commit, after the COMMIT (A2).
  func publish(_ group: Group) -> [Delivery]

  /// Releases the state of a group that ended without a change.
  func conclude(_ group: Group)

  /// Drops the state of a group that failed, and reports the plain writes in it (A7).
  func discard(_ group: Group, because error: WorkspaceError)

  /// Drops the state of a group that failed although nothing was wrong with its writes, and queues its plain writes
  /// again, before those that came later.
  func requeue(_ group: Group, because error: WorkspaceError)

  /// Reads the data for following other processes' commits, oldest first (A9). The connection has a read view at the
  /// last one.
  ///
  /// Doesn't move the cache: after an error, the pipeline tries again with all participants.
  func publish(external records: [ChangeLog.Record], on connection: Connection) throws -> CacheMove

  /// Compares observed keys and objects with the file because the changes in between are unknown. The returned move
  /// drops the cache. Like `publish(external:on:)`, this doesn't move the cache itself.
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> CacheMove

  /// Reports the later commits that may change what an observed closure has read, and no longer those that change only
  /// what its earlier runs have read: `publish` and `reset` return the callbacks of `ReadObserver.invalidate()`.
  ///
  /// Takes a lock that `publish` takes, too. So if no later commit is being published when this returns, none was
  /// missed.
  ///
  /// - Returns: True if the run has read something that the previous one hadn't.
  func track(_ reads: ReadRecorder, for observer: ReadObserver) -> Bool

  /// Reports no more commits to an observation that has ended.
  func stopTracking(for observer: ReadObserver)

  /// Refuses plain writes from now on because shutdown has begun.
  func stopAcceptingWrites()

  /// Ends the participant's observers after the workspace is closed. Runs as the last callback on the delivery queue.
  func end()
}

extension Participant {
  package func requeue(_ group: Group, because error: WorkspaceError) { discard(group, because: error) }
  package func track(_ reads: ReadRecorder, for observer: ReadObserver) -> Bool { false }
  package func stopTracking(for observer: ReadObserver) {}
}

/// Moves a participant's cache to other processes' commits. Only the first participant's move may throw, and only
/// before it moves anything, because the other participants' moves come after it.
@usableFromInline package typealias CacheMove = () throws -> [Delivery]

/// A callback that runs on the delivery queue.
@usableFromInline package typealias Delivery = @Sendable () -> Void
