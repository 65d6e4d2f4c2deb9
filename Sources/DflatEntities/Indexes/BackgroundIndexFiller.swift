import DflatCore
import DflatSQLite

/// Fills the indexes that queries want, in the background. Between two steps it yields the write token to waiting
/// transactions.
///
/// Filling starts when an index is wanted, ends when none is, and stops at shutdown. A failure is reported once; the
/// next query that wants the index tries again.
final class BackgroundIndexFiller: Sendable {
  private struct State {
    var queue = IndexFillQueue()
    var fillers: [IndexFillQueue.Key: any BackgroundFill] = [:]
    var onIdle: [@Sendable () -> Void] = []
  }

  /// A fill after a step, with the step's outcome.
  private struct Step {
    let filler: any BackgroundFill
    let outcome: IndexFill.Outcome
  }

  /// The core owns this object, by way of the store.
  private unowned(unsafe) let core: WorkspaceCore
  private let damage: DamagedRows
  private let state = Lock(State())

  init(core: WorkspaceCore, damage: DamagedRows) {
    self.core = core
    self.damage = damage
  }

  /// Ensures that an index becomes complete, and that a unique one is checked for duplicates.
  ///
  /// May be called on any thread and with any lock held but this object's.
  func want(_ job: IndexFill.Job, isComplete: Bool = false, now: @autoclosure () -> ContinuousClock.Instant = .now) {
    want(IndexFill(job), isComplete: isComplete, now: now())
  }

  /// Ensures that a type's full-text index becomes complete. May be called as the above.
  func want(
    _ search: SearchFields, of entity: EntityDescription, now: @autoclosure () -> ContinuousClock.Instant = .now
  ) {
    want(SearchFill(search, of: entity), isComplete: false, now: now())
  }

  private func want(
    _ filler: some BackgroundFill, isComplete: Bool, now: @autoclosure () -> ContinuousClock.Instant
  ) {
    guard core.options.fillsIndexes, !core.options.isReadOnly else { return }
    let key = filler.key
    let begins = state.withLock { state in
      let begins = state.queue.want(key, isComplete: isComplete, now: now())
      if state.queue.isWanted(key), state.fillers[key] == nil { state.fillers[key] = filler }
      return begins
    }
    if begins { takeTurn() }
  }

  private func takeTurn() {
    guard (try? core.beginActivity()) != nil else {
      // Shutdown has begun. The completed steps are in the file.
      let waiting = state.withLock { state in
        defer { state = State() }
        return state.onIdle
      }
      for resume in waiting { resume() }
      return
    }
    let filler = state.withLock { state in state.queue.next.flatMap { state.fillers[$0] } }
    guard let filler else { return core.endActivity() }
    let done = Lock(Step(filler: filler, outcome: .more))
    let completion = Completion.waking { [core = self.core, self] ended in
      // Leave this thread, which may hold the publication lock.
      TimerQueue.run {
        self.endTurn(of: filler, with: ended.map { done.withLock { $0 } })
        core.endActivity()
      }
    }
    // Run the step in a group.
    core.pipeline.maintainLater(completion: completion) { [damage] transaction in
      var filler = filler
      Failpoint.fillingBegan.reach(in: transaction.core)
      defer { Failpoint.fillingEnded.reach(in: transaction.core) }
      let group = try transaction.joinedGroup()
      let outcome = try group.reading { _ in try filler.step(in: group) }
      filler.reportDamage(to: damage)
      let step = Step(filler: filler, outcome: outcome)
      done.withLock { $0 = step }
    }
  }

  /// Processes the outcome of a step's group.
  private func endTurn(of filler: any BackgroundFill, with result: Result<Step, any Error>) {
    let key = filler.key
    // Move the state machine under the lock, and report and go on after it.
    let (report, goesOn) = state.withLock { state -> (WorkspaceError?, Bool) in
      var report: WorkspaceError?
      var outcome = IndexFillQueue.Outcome.failed
      switch result {
      case .success(let step):
        outcome = step.filler.outcome(of: step.outcome)
        state.fillers[key] = outcome == .more ? step.filler : nil
        if outcome == .compared { report = step.filler.report(path: core.path) }
      case .failure(let error):
        state.fillers[key] = nil
        let error = WorkspaceError.wrapping(error, path: core.path, doing: "Filling an index of")
        // A read-only file is not a failure: queries read it without the index.
        if error.code != .readOnly, !state.queue.hasFailed(key) { report = error }
      }
      return (report, state.queue.finish(outcome, now: .now) != nil)
    }
    if let report { core.report(report) }
    if goesOn { return takeTurn() }
    // Resume the waiting tests, unless an index has been wanted meanwhile.
    let waiting = state.withLock { state in
      guard state.queue.next == nil else { return [@Sendable () -> Void]() }
      defer { state.onIdle = [] }
      return state.onIdle
    }
    for resume in waiting { resume() }
  }

  /// Runs `body` when no index is wanted any more. For tests.
  func whenIdle(_ body: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      if state.queue.next != nil { state.onIdle.append(body) }
      return state.queue.next == nil
    }
    if isIdle { body() }
  }
}

extension IndexFill {
  func outcome(of step: Outcome) -> IndexFillQueue.Outcome {
    switch step {
    case .more: .more
    case .done: job.index.isUnique ? .compared : .done
    case .impossible, .disturbed: .impossible
    }
  }

  /// Returns the error that reports duplicates of a unique field, or nil if there are none.
  func report(path: String) -> WorkspaceError? {
    guard let duplicates else { return nil }
    let name = job.index.name
    let values = job.index.fields.count == 1 ? "value" : "values"
    return WorkspaceError(
      .objectAlreadyExists,
      "'\(name)' of '\(job.entity.table)' in '\(path)' must be unique, but \(duplicates.rows) objects have the \(values) of "
        + "another one, for example \(duplicates.example.row) that of \(duplicates.example.other); change or delete them.",
      path: path, field: name)
  }
}
