import DflatCore
import DflatKV
import SimulatedRuntime

/// Runs one thread of a program: performs its steps, and compares the results with the model.
final class ActorRun: @unchecked Sendable {  // one real thread
  let run_: Run
  let actor: Actor
  private var calls = 0
  /// The last number that `mix` wrote.
  var mixed = 0

  init(_ run: Run, _ actor: Actor) {
    run_ = run
    self.actor = actor
    index = actor.workspace
  }

  var model: Model { run_.model }
  var simulation: Simulation { run_.simulation }
  /// The place of the thread's workspace.
  var index: Int
  var workspace: SQLiteWorkspace { run_.workspace(index) }
  var dictionary: WorkspaceDictionary { workspace.dictionary }
  var hasFaults: Bool { run_.hasFaults }
  var isClosing: Bool { model.isClosing[index] }

  func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    run_.check(condition, "\(message()) (thread \(actor.number))")
  }

  func run() {
    for step in actor.steps {
      perform(step)
      simulation.noteProgress()
    }
  }

  private func perform(_ step: Step) {
    switch step {
    case .increment(let counter, let way, let lanes, let size): increment(counter, way, lanes, size)
    case .readCounter(let counter): readCounter(counter)
    case .snapshot(let counter): snapshot(counter)
    case .subscribe(let counter, let cancelsItself): subscribe(counter, cancelsItself: cancelsItself)
    case .abort(let counter, let way): abort(counter, way)
    case .refuse(let what, let way): refuse(what, way)
    case .changeNothing(let way): changeNothing(way)
    case .pair(let way): pair(way)
    case .readPair(let times): for _ in 0..<times { readPair() }
    case .write(let key, let long): write(key, "\(simulation.steps)" + (long ? String(repeating: "y", count: 700) : ""))
    case .remove(let key): write(key, nil)
    case .writeInTransaction(let key): writeInTransaction(key)
    case .readOwn(let key): readOwn(key)
    case .readOwnKeys: readOwnKeys()
    case .mix(let way): mix(way)
    case .readMixed(let thread): readMixed(thread)
    case .rewriteSet(let way, let long): rewriteSet(way, long: long)
    case .readSet: readSet()
    case .observeSet(let byPrefix): observeSet(byPrefix: byPrefix)
    case .changeObjects(let change, let way, let aborts): changeObjects(change, way, aborts: aborts)
    case .readObjects(let query): readObjects(query)
    case .snapshotOfObjects(let query): snapshotOfObjects(query)
    case .observeObjects(let query): observeObjects(query)
    case .synchronize:
      do { try dictionary.synchronize() } catch { explain(error, "synchronize") }
    case .follow: follow()
    case .flushes(let count): for _ in 0..<count { flush() }
    case .cancel:
      run_.watches.first { $0.workspace == index && !$0.isCancelled }?.cancel(run_, onDeliveryQueue: false)
    case .cancelInCompletion: cancelInCompletion()
    case .checkpoint:
      do { try workspace.checkpoint(within: .milliseconds(5)) } catch {
        explain(error, "checkpoint")
      }
    case .compact:
      do { try workspace.compact() } catch { explain(error, "compact") }
    case .pause(let time): simulation.sleep(nanoseconds: UInt64(time) * 1_000)
    case .shutdown(let blocking): shutdown(blocking: blocking)
    case .replica(let step): perform(step)
    }
  }

  /// Checks that an error comes from shutdown or an injected fault.
  func explain(
    _ error: any Error, _ what: String, expecting expected: WorkspaceError.Code? = nil, at place: Int? = nil
  ) {
    if hasFaults { return }
    let code = (error as? WorkspaceError)?.code
    // The caller checks the results of calls that had to succeed.
    if code != nil, code == expected { return }
    if code == .shutdown, model.isClosing[place ?? index] { return }
    if code == .noSuchFile, what == "compact" { return }
    // A schedule may starve the holder of one of SQLite's locks for longer than the busy timeout.
    if code == .busy { return }
    if code == .conflict, run_.program.workspaces > 1 { return }
    if run_.isReplicated, run_.allows(code) { return }
    check(false, "\(what) failed: \(error)")
  }

  // MARK: Transactions

  /// Runs a transaction in one of three ways, and calls `outcome` once.
  ///
  /// - Parameter refusal: The error with which the transaction must end.
  func transact(
    _ way: Step.Way, _ lanes: [Int] = [], types: [Any.Type] = [], refusal: WorkspaceError.Code? = nil,
    _ body: @escaping @Sendable (TransactionContext) throws -> Void,
    outcome: @escaping @Sendable (Result<Void, any Error>) -> Void = { _ in }
  ) {
    calls += 1
    let call = calls
    let distinct =
      run_.program.isSerial
      ? [Program.laneCount + 1]
      : Set(lanes).sorted() + (types.isEmpty ? lanes.isEmpty ? [Program.laneCount] : [] : [Program.laneCount + 2])
    let model = model
    let index = index
    let number = actor.number
    let run = run_
    let checked: @Sendable (TransactionContext) throws -> Void = { transaction in
      run.check(!run.simulation.holdsLock, "A11: A transaction's closure runs under a lock.")
      for lane in distinct {
        run.check(model.inLane[index][lane] == 0, "A3: Two closures of lane \(lane) run at once.")
        model.inLane[index][lane] += 1
        run.check(
          model.lastRun[index][lane][number] <= call,
          "A3: In lane \(lane), call \(call) of thread \(number) runs after call \(model.lastRun[index][lane][number])."
        )
        model.lastRun[index][lane][number] = call
      }
      defer { for lane in distinct { model.inLane[index][lane] -= 1 } }
      Simulation.point()
      try body(transaction)
    }
    model.outstanding += 1
    var isDone = false
    let finish: (Result<Void, any Error>) -> Void = { [self] result in
      check(!isDone, "A completion was called twice.")
      isDone = true
      check(!simulation.holdsLock, "A11: A completion runs under a lock.")
      model.outstanding -= 1
      simulation.noteProgress()
      switch result {
      case .success:
        check(refusal == nil, "A1: A transaction succeeded that had to end with \(refusal.map { "\($0)" } ?? "").")
      case .failure(let error): explain(error, "A transaction", expecting: refusal, at: index)
      }
      outcome(result)
    }
    switch way {
    case .wait: finish(Result { try workspace.transactAndWait(run_.types(lanes) + types, checked) })
    case .perform, .async:
      let finish = UncheckedTransfer(finish)
      workspace.core.perform(run_.types(lanes) + types, body: checked) { finish.value($0) }
    }
  }

  struct UncheckedTransfer<T>: @unchecked Sendable {  // one real thread
    let value: T
    init(_ value: T) { self.value = value }
  }

  /// A transaction's number and observers, for its outcome.
  final class Value: @unchecked Sendable {  // one real thread
    var number = 0
    /// The highest number that was acknowledged when the closure ran.
    var acknowledged = 0
    var watches: [Watch] = []
  }

  // MARK: Waiting, closing

  private func flush() {
    model.outstanding += 1
    var isDone = false
    let model = model
    let place = index
    let done = UncheckedTransfer({ [self] (result: Result<Void, any Error>) in
      check(!isDone, "A flush ended twice.")
      isDone = true
      model.outstanding -= 1
      simulation.noteProgress()
      if case .failure(let error) = result { explain(error, "flush", at: place) }
    })
    write(0, "\(simulation.steps)")
    dictionary.flush { done.value($0) }
  }

  /// Checks for commits. When that returns, the callbacks for all earlier commits have been enqueued, even if another
  /// thread found them.
  private func follow() {
    let counters = model.acknowledged
    let objects = model.objects.acknowledged
    let watches = run_.watches.filter { $0.workspace == index && $0.isActive }
    do {
      if let replication = workspace.replication {
        try replication.catchUp()
      } else {
        try workspace.core.checkForCommits()
      }
    } catch { return explain(error, "A check for commits") }
    let isTold = Promise<Void>()
    workspace.core.delivery.enqueue(for: workspace.core) { isTold.fulfill(()) }
    isTold.wait()
    if isClosing || hasFaults { return }
    for watch in watches where !watch.isCancelled {
      if let watch = watch as? CounterWatch {
        check(
          watch.last ?? 0 >= counters[watch.counter],
          "A4/A9: An observer of counter \(watch.counter) last received \(watch.last ?? 0) after a check for commits, but "
            + "\(counters[watch.counter]) was acknowledged before.")
      } else if let watch = watch as? QueryWatch {
        check(
          watch.shows(model, from: objects) != nil,
          "A4/A9: A live query '\(watch.query)' shows \(watch.shown) after a check for commits, but state \(objects) was "
            + "acknowledged before.")
      }
    }
  }

  /// Cancels on the delivery queue, after which no callback may follow.
  private func cancelInCompletion() {
    let run = run_
    let index = index
    transact(.perform) { _ in
    } outcome: { _ in
      run.watches.first { $0.workspace == index && !$0.isCancelled }?.cancel(run, onDeliveryQueue: true)
    }
  }

  private func shutdown(blocking: Bool) {
    model.isClosing[index] = true
    defer { model.isShutDown[index] = true }
    if blocking { return workspace.shutdown() }
    model.outstanding += 1
    let model = model
    workspace.shutdown { model.outstanding -= 1 }
  }
}
