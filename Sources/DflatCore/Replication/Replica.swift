import DflatSQLite

/// A file's part in a cluster: the commit log, this process's turn to append to it, and what is known of the cluster.
///
/// The holder of the write token makes the calls that take a connection or need the turn. Other machines' records are
/// fetched here, and applied to the file by `Writer.apply(_:on:)`.
package final class Replica: Sendable {
  struct State {
    var turn: Turn?
    /// The identity of the cluster, once the log was found to be that of the file's cluster.
    var cluster: String?
    /// True if a call has failed since then: an older state of the cluster may have been restored meanwhile.
    var isDoubtful = false
    /// The error that ended this file's part in the cluster, for good.
    var stopped: WorkspaceError?
    var isClosed = false
    var snapshots = SnapshotSchedule()
    /// The first call in a row that didn't reach the cluster; nil after one that did.
    var unavailableSince: ContinuousClock.Instant?
    /// The first call in a row that didn't get the turn because other machines kept it.
    var busySince: ContinuousClock.Instant?
    /// The error of the newest call that didn't reach the cluster.
    var unavailability: WorkspaceError?
    /// The cluster's refusal of this process's newest commit; nil once it has taken one.
    var refusal: WorkspaceError?
    /// True if the cluster has refused even to be read since it was last read.
    var refusesReads = false
    var flushPauses = FlushPauses()
    /// True if refused credentials were reported since the last append.
    var isDenialReported = false
    /// The newest record that is known of.
    var head: UInt64 = 0
    /// The commit whose outcome is unknown.
    var unresolved: UInt64?
    var lastContact: ContinuousClock.Instant?
  }

  /// Tables that each machine has for itself: membership, and the change log, whose rows records carry themselves.
  static let localTables = [ClusterTable.name, "dflat_log"]
  /// The bytes of records that are read, and applied in one transaction, at a time.
  static let batchBytes = 4 << 20
  /// The time that a call waits while the cluster is known to be out of reach.
  private static let shortTimeout = Duration.milliseconds(200)

  /// Functions that are called on any thread.
  private struct Handlers {
    /// Runs after each change of the phase.
    var phaseChanged: (@Sendable (ReplicationStatus) -> Void)?
    /// The phase that was reported last.
    var lastPhase = ReplicationStatus.Phase.connecting
    /// Gets the error if the cluster refuses the program's credentials.
    var denied: (@Sendable (WorkspaceError) -> Void)?
    /// Flushes the plain writes after a time.
    var postponed: (@Sendable (Duration) -> Void)?
  }

  let log: any CommitLog
  let options: ReplicationOptions
  let path: String
  private let publication: Publication
  let state = Lock(State())
  private let listeners = Lock<[SerialNumber: AsyncStream<ReplicationStatus>.Continuation]>([:])
  private let handlers = Lock(Handlers())

  init(log: any CommitLog, options: ReplicationOptions, path: String, publication: Publication) {
    self.publication = publication
    self.log = log
    self.options = options
    self.path = path
  }

  // MARK: The turn

  /// Takes the turn unless this process has it. Returns it with the number of the log's newest record.
  func takeTurn(for connection: Connection) throws -> Turn {
    if let stopped = state.withLock({ $0.stopped }) { throw stopped }
    if let turn = state.withLock({ $0.turn }) { return turn }
    // Nothing else would find the log's newest record to be another one than the file's, if their numbers are the same.
    if state.withLock({ $0.cluster == nil || $0.isDoubtful }) {
      try verify(ClusterTable.membership(on: connection), on: connection)
    }
    let turn = try reaching(for: .committing) { try log.takeTurn(within: timeout) }
    state.withLock { state in
      state.turn = turn
      state.note(head: turn.head)
      state.unresolved = nil
    }
    return turn
  }

  /// Gives the turn to another process. No group is open.
  func giveBackTurn() {
    let turn = state.withLock { $0.turn.take() }
    if let turn { log.giveBack(turn) }
  }

  /// Forgets a turn that another process must have had since.
  ///
  /// - Throws: ``WorkspaceError`` with code `.clusterMismatch` if the file is newer than the log.
  func dropTurn(_ turn: Turn, at position: UInt64) throws {
    state.withLock { if $0.turn == turn { $0.turn = nil } }
    log.giveBack(turn)
    try require(position, upTo: try status(within: timeout).head)
  }

  /// Ends the file's part in the cluster if the log is older than the file.
  ///
  /// - Parameters:
  ///   - position: A commit that the file had before the log was read.
  ///   - head: The number of the log's newest record.
  /// - Throws: ``WorkspaceError`` with code `.clusterMismatch` if it is older.
  func require(_ position: UInt64, upTo head: UInt64) throws {
    if position <= head { return }
    let error = newer(position, than: head)
    stop(because: error)
    throw error
  }

  /// Asks the log whether a commit is still its newest one. If it isn't, another process has the turn, and this one
  /// forgets its own.
  func confirmsTurn(at position: UInt64) throws -> Bool {
    if try status(within: timeout).head == position { return true }
    giveBackTurn()
    return false
  }

  /// Appends a record with this process's turn.
  func append(_ record: CommitRecord) -> AppendOutcome {
    guard let turn = state.withLock({ $0.turn }) else { return .fenced }
    let outcome = log.append(record, with: turn, within: options.timeout)
    switch outcome {
    case .appended(let turn):
      let isBack = state.withLock { state in
        defer {
          (state.turn, state.unavailableSince, state.lastContact) = (turn, nil, .now)
          (state.refusal, state.isDenialReported) = (nil, false)
          state.flushPauses.reset()
        }
        return state.unavailableSince != nil || state.refusal != nil
      }
      if !isBack { return outcome }
    case .fenced: state.withLock { ($0.turn, $0.isDoubtful) = (nil, true) }
    case .unknown(let error):
      let explained = explained(error)
      state.withLock { state in
        (state.turn, state.unresolved, state.isDoubtful) = (nil, record.number, true)
        (state.unavailableSince, state.unavailability) = (state.unavailableSince ?? .now, explained)
      }
    case .refused(let error):
      state.withLock { $0.turn = nil }
      note(error, of: .committing)
      // Others may wait for the turn, which this process may still have.
      log.giveBack(turn)
    }
    reportStatus()
    return outcome
  }

  /// Returns the next records after a commit of the file, of which there must be some. Returns nil if they are no
  /// longer in the log, and the file has to begin with a snapshot.
  func records(after number: UInt64, on connection: Connection) throws -> [CommitRecord]? {
    try reaching {
      let records = try untrimmedRecords(after: number, waiting: options.timeout) {
        try ChangeLog.writer(of: number, on: connection)
      }
      if records?.isEmpty == true {
        throw CommitLogError(.unavailable, "record \(number + 1) did not come in time")
      }
      return records
    }
  }

  /// Waits for records after a commit; returns nil if they are no longer in the log.
  ///
  /// - Parameter writer: Returns the writer of the commit in the file, if that has it (`CommitLog.records`).
  func untrimmedRecords(
    after number: UInt64, maximumBytes: Int = batchBytes, waiting timeout: Duration, writer: () throws -> Int64?
  ) throws -> [CommitRecord]? {
    do {
      return try log.records(after: number, maximumBytes: maximumBytes, waiting: timeout, writer: writer)
    } catch let error as CommitLogError where error.code == .trimmed { return nil }
  }

  /// The time that a call may wait for the cluster.
  var timeoutOfCalls: Duration { options.timeout }

  // MARK: Reaching the cluster

  /// The time to wait for the cluster: less if it has been out of reach for a while, or other machines have kept the
  /// turn, so that calls that wait one after the other fail together.
  var timeout: Duration {
    let since = state.withLock { state -> ContinuousClock.Instant? in
      // Short waits may never reach the head of the queue, so a call waits for the full time now and then.
      if let since = state.busySince, ContinuousClock.now - since > options.timeout * 2 { state.busySince = nil }
      return state.unavailableSince ?? state.busySince
    }
    guard let since else { return options.timeout }
    let passed = ContinuousClock.now - since
    return max(Self.shortTimeout, options.timeout - passed)
  }

  /// The purpose of a call of the log. A program's user may have the right to one and not to another.
  enum Purpose {
    /// The call reads.
    case following
    /// The call takes the turn, or appends.
    case committing
    /// The call stores a snapshot, which other machines do as well.
    case storingSnapshot
  }

  /// Runs a call of the log, notes whether the cluster was reached, and explains the error.
  func reaching<T>(for purpose: Purpose = .following, _ body: () throws -> T) throws -> T {
    do {
      let result = try body()
      let isBack = state.withLock { state in
        defer {
          (state.unavailableSince, state.busySince, state.lastContact) = (nil, nil, .now)
          // The user had no rights at all, and so the refusal says nothing any more.
          if state.refusesReads { (state.refusesReads, state.refusal) = (false, nil) }
        }
        return state.unavailableSince != nil || state.lastContact == nil
      }
      if isBack { reportStatus() }
      return result
    } catch let error as CommitLogError {
      note(error, of: purpose)
      reportStatus()
      throw explained(error)
    }
  }

  /// Notes an error of the log.
  private func note(_ error: CommitLogError, of purpose: Purpose) {
    let explained = explained(error)
    state.withLock { state in
      switch (error.code, purpose) {
      case (.denied, .committing): state.refusal = explained
      case (.denied, .storingSnapshot): break
      case (.denied, .following), (.unavailable, _):
        (state.unavailableSince, state.unavailability) = (state.unavailableSince ?? .now, explained)
        state.isDoubtful = true
        if error.code == .denied { state.refusesReads = true }
      case (.busy, _): state.busySince = state.busySince ?? .now
      default: break
      }
    }
    if error.code == .denied { reportDenial(explained) }
  }

  /// Reports that the cluster refuses the program's credentials, once: this doesn't pass like other errors for want of the
  /// cluster, and plain writes have no caller who would see it.
  private func reportDenial(_ error: WorkspaceError) {
    guard let handler = handlers.withLock(\.denied) else { return }
    let isFirst = state.withLock { state in
      defer { state.isDenialReported = true }
      return !state.isDenialReported
    }
    if isFirst { handler(error) }
  }

  /// Calls `handler` when the cluster first refuses the program's credentials, and again only if a commit was appended in
  /// between.
  func onDenial(_ handler: @escaping @Sendable (WorkspaceError) -> Void) { handlers.withLock { $0.denied = handler } }

  // MARK: Plain writes that wait

  /// Has plain writes flushed again after a pause, because the cluster can't take them now.
  func postponeFlush() {
    guard let pause = state.withLock({ $0.flushPauses.begin() }) else { return }
    handlers.withLock(\.postponed)?(pause)
  }

  /// True until the pause is over. Plain writes that come meanwhile wait, too.
  var isFlushPostponed: Bool { state.withLock { $0.flushPauses.isRunning } }

  /// Ends the pause. The caller flushes the plain writes.
  func endFlushPause() { state.withLock { $0.flushPauses.end() } }

  /// Calls `handler` when plain writes are to be flushed after a time.
  func onPostponedFlush(_ handler: @escaping @Sendable (Duration) -> Void) {
    handlers.withLock { $0.postponed = handler }
  }

  // MARK: The log's state

  /// Reads the state of the log.
  func status(within timeout: Duration) throws -> CommitLogStatus {
    let status = try reaching { try log.status(within: timeout) }
    state.withLock { state in
      state.note(head: status.head)
      // Whoever has read the log since the append knows its outcome.
      state.unresolved = nil
    }
    return status
  }

  // MARK: Snapshots

  /// Notes a record that was appended or applied.
  func note(_ record: CommitRecord) {
    state.withLock { state in
      state.snapshots.note(record)
      state.note(head: record.number)
    }
  }

  /// Changes the schedule of snapshots, or asks it. The closure also gets the file's newest commit, of which a snapshot
  /// would be made.
  func scheduleSnapshots<T>(_ body: (inout SnapshotSchedule, UInt64) -> T) -> T {
    let position = publication.published
    return state.withLock { body(&$0.snapshots, position) }
  }

  /// True if a program that is about to end asks whether a snapshot is due.
  var countsWhenClosing: Bool {
    state.withLock { $0.stopped == nil && $0.unavailableSince == nil && $0.snapshots.countsAtTheEnd }
  }

  /// Returns true if a snapshot may be due for a file of this size. The caller calls `makeDueSnapshot` on another thread.
  func beginsSnapshot(ofFileWith size: Int) -> Bool {
    scheduleSnapshots { $0.begins(at: $1, limit: limit(ofFileWith: size)) }
  }

  /// The size of the records between two snapshots of a file of this size.
  func limit(ofFileWith size: Int) -> Int { max(options.snapshotBytes, size) }

  /// Ends the file's part in the cluster: it can't follow any more.
  func stop(because error: WorkspaceError) {
    state.withLock { $0.stopped = $0.stopped ?? error }
    reportStatus()
  }

  var stoppingError: WorkspaceError? { state.withLock { $0.stopped } }

  // MARK: Status

  var status: ReplicationStatus {
    let position = publication.published
    return state.withLock { state in
      let phase: ReplicationStatus.Phase =
        if state.stopped != nil {
          .stopped
        } else if let unresolved = state.unresolved, position < unresolved, state.head < unresolved {
          .resolving
        } else if state.unavailableSince != nil || state.refusal != nil {
          .unavailable
        } else if state.lastContact == nil {
          .connecting
        } else {
          position < state.head ? .behind : .connected
        }
      return ReplicationStatus(
        phase: phase, commitNumber: position, clusterCommitNumber: max(position, state.head),
        holdsTurn: state.turn != nil, timeSinceContact: state.lastContact.map { ContinuousClock.now - $0 })
    }
  }

  /// The error because of which the phase is `unavailable`, `resolving` or `stopped`.
  var error: WorkspaceError? {
    state.withLock { $0.stopped ?? $0.refusal ?? ($0.unavailableSince == nil ? nil : $0.unavailability) }
  }

  /// True if the cluster answers, but takes no commits of this process.
  var isRefused: Bool { state.withLock { $0.refusal != nil && $0.unavailableSince == nil } }

  /// Reports the status to a stream, now and after each change.
  func report(to stream: AsyncStream<ReplicationStatus>.Continuation) {
    let number = SerialNumber()
    stream.onTermination = { [weak self] _ in self?.listeners.withLock { _ = $0.removeValue(forKey: number) } }
    listeners.withLock { $0[number] = stream }
    stream.yield(status)
  }

  /// Calls `handler` after each change of the phase.
  func onPhaseChange(_ handler: @escaping @Sendable (ReplicationStatus) -> Void) {
    handlers.withLock { $0.phaseChanged = handler }
  }

  /// Reports the status to the streams, and to the handler if the phase has changed, because it may have.
  func reportStatus() {
    let status = status
    for stream in listeners.withLock({ Array($0.values) }) { stream.yield(status) }
    let handler = handlers.withLock { handlers in
      defer { handlers.lastPhase = status.phase }
      return handlers.lastPhase == status.phase ? nil : handlers.phaseChanged
    }
    handler?(status)
  }

  /// Closes the connections and ends the streams.
  func end() {
    log.close()
    let streams = listeners.withLock { listeners in
      defer { listeners = [:] }
      return Array(listeners.values)
    }
    for stream in streams { stream.finish() }
  }
}

extension Replica.State {
  /// Notes the number of a record that is in the log.
  fileprivate mutating func note(head number: UInt64) {
    head = max(head, number)
    if let append = unresolved, head >= append { unresolved = nil }
  }
}
