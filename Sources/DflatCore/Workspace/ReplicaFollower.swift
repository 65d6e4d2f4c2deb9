import Synchronization

/// Follows the cluster's log on a thread of its own: applies other machines' records, and publishes them (A9). From its
/// creation on, gives the turn back when another machine waits for it, and flushes plain writes that wait for the
/// cluster.
///
/// While the cluster can't be reached, retries less and less often, until the workspace closes.
final class ReplicaFollower: Sendable {
  /// The time for which a call waits for a record. Only bounds the time after which a lost connection is noticed.
  private static let patience = Duration.seconds(20)
  private static let firstPause = Duration.milliseconds(50)
  private static let longestPause = Duration.seconds(5)

  /// The errors that may pass: of the connection, of other processes' locks, and of the disk.
  private static let passing: Set<WorkspaceError.Code> = [
    .unavailable, .busy, .conflict, .cannotOpen, .diskFull, .inputOutput, .outOfMemory,
  ]

  private struct State {
    /// Released when the follower stops, as it does when the workspace closes.
    var core: WorkspaceCore?
    var isStarted = false
    var ended = Promise<Void>()
    var pause: Promise<Void>?
  }

  private let replica: Replica
  private let state: Lock<State>
  private let isTurnWanted = Atomic(false)

  init(core: WorkspaceCore, replica: Replica) {
    self.replica = replica
    state = Lock(State(core: core))
    // A weak reference to the core itself would make counting all other references to it slower, as each read does.
    replica.onPhaseChange { [weak self] status in self?.core?.logPhase(of: status) }
    // Also a workspace that doesn't follow has the turn between its transactions.
    replica.log.onTurnWanted { [weak self] in self?.giveBackTurn() }
    replica.onPostponedFlush { [weak self] pause in self?.flush(after: pause) }
  }

  /// Starts to follow. Does nothing after the first call.
  func start() {
    let isFirst = state.withLock { state in
      defer { state.isStarted = true }
      return !state.isStarted && state.core != nil
    }
    guard isFirst else { return }
    // Without following, each call that needs the cluster throws this itself.
    replica.onDenial { [weak self] error in self?.core?.report(error) }
    Threads.run { [self] in
      follow()
      state.withLock { $0.ended }.fulfill(())
    }
  }

  /// Stops, and blocks until the last record that is being applied is applied.
  func stop() {
    let (isStarted, ended, pause) = state.withLock { state in
      defer { (state.core, state.isStarted) = (nil, true) }
      return (state.isStarted && state.core != nil, state.ended, state.pause)
    }
    pause?.fulfill(())
    replica.log.interrupt()
    if isStarted { ended.wait() }
  }

  private var core: WorkspaceCore? { state.withLock { $0.core } }

  private func follow() {
    var pause = Self.firstPause
    var isRetrying = false
    var isReported = false
    while let core {
      do {
        try advance(core, isRetrying: isRetrying)
        if let error = replica.stoppingError {
          // Another thread has found it, for a caller of its own.
          core.report(error)
          return failWaitingWrites(of: core)
        }
        (pause, isRetrying, isReported) = (Self.firstPause, false, false)
      } catch {
        if self.core == nil { return }
        let failure = WorkspaceError.wrapping(error, path: core.path, doing: "Following the cluster of")
        if !Self.passing.contains(failure.code) {
          // The file can't follow. Every later write says so, too.
          replica.stop(because: failure)
          core.report(failure)
          return failWaitingWrites(of: core)
        }
        isRetrying = true
        core.log.write(.debug, "'\(core.path)' tries again to follow its cluster.", about: failure, for: core)
        // The disk needs somebody's attention, but only once.
        if !isReported, failure.code != .unavailable, failure.code != .busy {
          isReported = true
          core.report(failure)
        }
        wait(pause)
        pause = min(pause * 2, Self.longestPause)
      }
    }
  }

  /// Lets plain writes that wait for the cluster end with the error that ended the replica (A7).
  private func failWaitingWrites(of core: WorkspaceCore) { core.pipeline.flushLater(completion: .ignored) }

  /// Waits for records, applies and publishes them.
  ///
  /// - Parameter isRetrying: True after a failure. Then this doesn't wait, and so notices at once that the cluster is back.
  private func advance(_ core: WorkspaceCore, isRetrying: Bool) throws {
    if !replica.isVerified { try core.pipeline.exclusively { writer in try replica.join(try writer.open()) } }
    let published = core.publication.published
    let records = try replica.reaching {
      try replica.untrimmedRecords(after: published, waiting: isRetrying ? .zero : Self.patience) {
        (try? core.withView { connection, _ in try ChangeLog.writer(of: published, on: connection) }) ?? nil
      }
    }
    guard self.core != nil else { return }
    defer { core.makeSnapshotIfDue() }
    if let records {
      // This process's own records come back, too.
      guard let last = records.last, last.number > core.publication.published else { return }
      try core.pipeline.exclusively { writer in try writer.apply(records, on: try writer.open()) }
    } else {
      try core.pipeline.exclusively { writer in try writer.install(replica, on: try writer.open()) }
    }
    try core.checkForCommits()
    replica.reportStatus()
  }

  /// Blocks this thread for a while, or until the follower stops.
  private func wait(_ duration: Duration) {
    let pause = Promise<Void>()
    let isStopped = state.withLock { state in
      state.pause = pause
      return state.core == nil
    }
    if isStopped { return }
    TimerQueue.run(after: .microseconds(Int(duration / .microseconds(1)))) { pause.fulfill(()) }
    pause.wait()
  }

  /// Flushes the plain writes that wait for the cluster, after a pause. Also a workspace that doesn't follow has some.
  private func flush(after pause: Duration) {
    TimerQueue.run(after: .microseconds(Int(pause / .microseconds(1)))) { [weak self] in
      guard let self else { return }
      replica.endFlushPause()
      guard let core = self.core, (try? core.beginActivity()) != nil else { return }
      core.pipeline.flushLater(completion: .ignored)
      core.endActivity()
    }
  }

  /// Gives the turn back once no group is open.
  private func giveBackTurn() {
    guard let core, !isTurnWanted.exchange(true, ordering: .acquiringAndReleasing) else { return }
    core.pipeline.whileNoGroupIsOpen { [self] in
      isTurnWanted.store(false, ordering: .releasing)
      replica.giveBackTurn()
    }
  }
}
