/// The log that orders the commits of a replicated workspace across machines. Consensus, durability and membership are
/// the business of the engine behind it, such as etcd.
///
/// Record N is what commit N changed, as a whole: it is in the log, or nowhere. Only the holder of the *turn* can append,
/// and the engine compares the turn and the head as it appends, so a holder that was stopped for too long can append
/// nothing (fencing).
///
/// Calls block their thread until the engine has answered or the timeout is over; the caller's thread is never one of
/// Swift's cooperative threads. Any thread may make any call, and calls run side by side.
package protocol CommitLog: AnyObject, Sendable {
  /// The kind of the engine, as the file remembers it: "etcd".
  var engine: String { get }

  /// Says where the log is, without secrets, for messages and for the file: "https://10.0.0.1:2379/apps/shop/".
  var location: String { get }

  /// The address by which a program connects again, in the engine's own form, without secrets. The file remembers it.
  var address: String { get }

  /// Reads the state of the log.
  ///
  /// - Throws: ``CommitLogError``.
  func status(within timeout: Duration) throws -> CommitLogStatus

  /// Creates the log of a new cluster whose first record will be `head + 1`, unless there is a log already.
  ///
  /// - Returns: The state of the log that is there now. If another machine was faster, its cluster is another one.
  /// - Throws: ``CommitLogError``.
  func create(cluster: String, head: UInt64, within timeout: Duration) throws -> CommitLogStatus

  // MARK: Following

  /// Returns the records after `number`, oldest first and without a gap, at most about `maximumBytes` of them but at
  /// least one. If there are none, waits for one. An empty list after the timeout is the engine's answer, not its
  /// silence: the caller takes it for a sign that the engine can be reached.
  ///
  /// - Parameter writer: Returns the writer of record `number`, as the caller has it; nil if it doesn't know. Called
  ///   when the engine is asked, and not for each record that it sends by itself.
  /// - Throws: ``CommitLogError``: `.trimmed` if record `number + 1` is no longer in the log, `.restored` if record
  ///   `number` isn't the caller's, `.closed` if `interrupt()` ended the wait; whatever `writer` throws.
  func records(
    after number: UInt64, maximumBytes: Int, waiting timeout: Duration, writer: () throws -> Int64?
  ) throws -> [CommitRecord]

  /// Returns the writer of a record; nil if the record is no longer in the log, or can't be read.
  ///
  /// - Throws: ``CommitLogError``.
  func writer(ofRecord number: UInt64, within timeout: Duration) throws -> Int64?

  /// Ends waiting calls of `records` early, and later ones don't wait: they still return records that are there.
  func interrupt()

  // MARK: Appending

  /// Waits, in the order of the callers on all machines, until this process has the turn. Returns at once if it still
  /// has it.
  ///
  /// - Throws: ``CommitLogError``: `.busy` if the turn doesn't come in time; the place in the queue is given up.
  func takeTurn(within timeout: Duration) throws -> Turn

  /// Appends the record with the number `turn.head + 1`. If another process waits for the turn and this one has had it
  /// for long enough, the same step hands it over.
  ///
  /// A lost answer is looked up before this returns: `.unknown` is for the case in which that fails, too.
  func append(_ record: CommitRecord, with turn: Turn, within timeout: Duration) -> AppendOutcome

  /// Gives the turn to the process that waits for it, if there is one. The caller appends nothing with it afterwards.
  func giveBack(_ turn: Turn)

  /// Calls `handler` on a thread of the engine's whenever another process begins to wait for the turn while this one
  /// has it. The handler returns at once.
  func onTurnWanted(_ handler: @escaping @Sendable () -> Void)

  // MARK: Snapshots

  /// Returns the newest complete snapshot; nil if there is none.
  ///
  /// - Throws: ``CommitLogError``.
  func newestSnapshot(within timeout: Duration) throws -> LogSnapshot?

  /// Passes the bytes of a snapshot to `receive`, in order, in chunks.
  ///
  /// - Throws: ``CommitLogError``: `.trimmed` if a newer snapshot has replaced it meanwhile, `.foreign` if the bytes
  ///   don't have the snapshot's size or digest; whatever `receive` throws.
  func readSnapshot(_ snapshot: LogSnapshot, _ receive: ([UInt8]) throws -> Void) throws

  /// Stores a snapshot of the file at a commit: `next` returns its bytes in chunks, and nil at the end. It becomes the
  /// newest one in a single step at the end, unless one of that commit or a newer one is there already; older ones are
  /// deleted. What killed programs have left of others is deleted first.
  ///
  /// - Throws: ``CommitLogError``; whatever `next` throws.
  func writeSnapshot(of commitNumber: UInt64, _ next: () throws -> [UInt8]?) throws

  /// Runs a closure that makes a snapshot, unless another process does that already, or another call here. The claim ends
  /// with the closure, or with the process.
  ///
  /// - Returns: False if the closure has not run.
  /// - Throws: ``CommitLogError``; whatever `make` throws.
  func claimingSnapshot(within timeout: Duration, _ make: () throws -> Void) throws -> Bool

  /// Deletes the records up to a commit, and what unfinished appends and snapshots have left behind. The newest
  /// snapshot must cover that commit.
  ///
  /// - Throws: ``CommitLogError``.
  func trim(through commitNumber: UInt64) throws

  // MARK: Operations

  /// Describes the log and its engine for the person on call.
  ///
  /// - Throws: ``CommitLogError``.
  func report(within timeout: Duration) throws -> CommitLogReport

  // MARK: Ending

  /// Gives the turn back and closes the connections. Calls that still run fail with `.closed`, as do later ones.
  func close()
}

extension CommitLog {
  /// Returns the records after a number, of which the caller has none.
  package func records(
    after number: UInt64, maximumBytes: Int, waiting timeout: Duration
  ) throws -> [CommitRecord] {
    try records(after: number, maximumBytes: maximumBytes, waiting: timeout) { nil }
  }
}
