import DflatCore
import DflatKV
import SimulatedRuntime

/// One thread of a program as it runs: does its steps, and compares what it sees with the model.
final class ActorRun: @unchecked Sendable {  // one real thread
  let run_: Run
  private let actor: Actor
  private var calls = 0

  init(_ run: Run, _ actor: Actor) {
    run_ = run
    self.actor = actor
  }

  var model: Model { run_.model }
  var simulation: Simulation { run_.simulation }
  var index: Int { actor.workspace }
  var workspace: SQLiteWorkspace { run_.workspace(actor.workspace) }
  var dictionary: WorkspaceDictionary { workspace.dictionary }
  var hasFaults: Bool { run_.program.schedule.faultOneIn > 0 }
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
    case .pair(let way): pair(way)
    case .write(let key, let long): write(key, "\(simulation.steps)" + (long ? String(repeating: "y", count: 700) : ""))
    case .remove(let key): write(key, nil)
    case .writeInTransaction(let key): writeInTransaction(key)
    case .readOwn(let key): readOwn(key)
    case .readCounter(let counter): readCounter(counter)
    case .readPair: readPair()
    case .snapshot(let counter): snapshot(counter)
    case .abort(let counter): abort(counter)
    case .incrementObject(let object, let way, let aborts): incrementObject(object, way, aborts: aborts)
    case .readObject(let object): readObject(object)
    case .snapshotOfObject(let object): snapshotOfObject(object)
    case .subscribeToObjects: subscribeToObjects()
    case .synchronize:
      do { try dictionary.synchronize() } catch { explain(error, "synchronize") }
    case .flushes(let count): for _ in 0..<count { flush() }
    case .subscribe(let counter): subscribe(counter)
    case .cancel: cancel()
    case .checkpoint:
      do { try workspace.checkpoint(within: .milliseconds(5)) } catch {
        explain(error, "checkpoint")
      }
    case .compact:
      do { try workspace.compact() } catch { explain(error, "compact") }
    case .pause(let time): simulation.sleep(nanoseconds: UInt64(time) * 1_000)
    case .shutdown(let blocking): shutdown(blocking: blocking)
    }
  }

  /// Errors are those of shutdown and of injected faults.
  func explain(_ error: any Error, _ what: String) {
    if hasFaults { return }
    // What was to succeed is looked at by its caller.
    if let error = error as? WorkspaceError, error.code == .aborted { return }
    if let error = error as? WorkspaceError, error.code == .shutdown, isClosing { return }
    if let error = error as? WorkspaceError, error.code == .noSuchFile, what == "compact" { return }
    // A schedule may starve whoever holds one of SQLite's locks for longer than the busy timeout.
    if let error = error as? WorkspaceError, error.code == .busy { return }
    if let error = error as? WorkspaceError, error.code == .conflict, run_.program.workspaces > 1 { return }
    check(false, "\(what) failed: \(error)")
  }

  // MARK: Transactions

  /// Runs a transaction in one of three ways; `outcome` is told once.
  func transact(
    _ way: Step.Way, _ lanes: [Int], types: [Any.Type] = [],
    _ body: @escaping @Sendable (TransactionContext) throws -> Void,
    outcome: @escaping @Sendable (Result<Void, any Error>) -> Void
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
      run.check(!run.simulation.holdsLock, "A11: a transaction's closure runs under a lock.")
      for lane in distinct {
        run.check(model.inLane[index][lane] == 0, "A3: two closures of lane \(lane) run at once.")
        model.inLane[index][lane] += 1
        run.check(
          model.lastRun[index][lane][number] <= call,
          "A3: in lane \(lane), call \(call) of thread \(number) runs after call \(model.lastRun[index][lane][number])."
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
      check(!simulation.holdsLock, "A11: a completion runs under a lock.")
      model.outstanding -= 1
      simulation.noteProgress()
      if case .failure(let error) = result { explain(error, "A transaction") }
      outcome(result)
    }
    switch way {
    case .wait: finish(Result { try workspace.transactAndWait(run_.types(lanes) + types, checked) })
    case .perform, .async:
      let finish = Sent(finish)
      workspace.core.perform(run_.types(lanes) + types, body: checked) { finish.value($0) }
    }
  }

  private struct Sent<T>: @unchecked Sendable {  // one real thread
    let value: T
    init(_ value: T) { self.value = value }
  }

  final class Value: @unchecked Sendable {  // one real thread
    var number = 0
    var watches: [Model.Watch] = []
  }

  private func increment(_ counter: Int, _ way: Step.Way, _ lanes: [Int], _ size: Int) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    value.watches = model.subscriptions.filter {
      $0.workspace == index && $0.counter == counter && $0.isRegistered && !$0.isCancelled
    }
    transact(way, lanes) { transaction in
      let before = model.acknowledged[counter]
      let old = try transaction.dictionary.value(forKey: Counter.key(counter), as: String.self).map {
        Counter.parse($0) ?? 0
      }
      run.check(
        old ?? 0 >= before,
        "A3/A9: a transaction reads \(old ?? 0) in counter \(counter) after \(before) was acknowledged.")
      Simulation.point()
      value.number = (old ?? 0) + 1
      transaction.dictionary[Counter.key(counter)] = Counter.print(value.number, size: size)
    } outcome: { [self] result in
      switch result {
      case .success:
        model.successes[counter] += 1
        for watch in value.watches where !watch.isCancelled && !isClosing && !hasFaults {
          run.check(
            watch.last ?? 0 >= value.number,
            "A4: an observer of counter \(counter) was last told \(watch.last ?? 0) when the completion of \(value.number) ran."
          )
        }
        model.acknowledged[counter] = max(model.acknowledged[counter], value.number)
        model.seen[index][counter] = max(model.seen[index][counter], value.number)
      case .failure(let error):
        if (error as? WorkspaceError)?.code == .outcomeUnknown { model.unknown[counter] += 1 }
      }
    }
  }

  /// Kept in different shards of the cache, as a rule.
  static let together = ["pair.a", "pair.b", "pair.c", "pair.d"]

  private func pair(_ way: Step.Way) {
    let value = Value()
    let run = run_
    let model = model
    let index = index
    transact(way, []) { transaction in
      let first = transaction.dictionary[Self.together[0], Int.self] ?? 0
      Simulation.point()
      let last = transaction.dictionary[Self.together[3], Int.self] ?? 0
      run.check(first == last, "A1: a transaction reads \(first) and \(last), which are always set together.")
      value.number = first + 1
      for key in Self.together {
        transaction.dictionary[key] = first + 1
        Simulation.point()
      }
    } outcome: { result in
      if case .success = result { model.seenPair[index] = max(model.seenPair[index], value.number) }
    }
  }

  private func abort(_ counter: Int) {
    do {
      try workspace.transactAndWait { transaction in
        transaction.dictionary[Counter.key(counter)] = "1000000."
        Simulation.point()
        transaction.abort()
      }
      check(false, "An aborted transaction succeeded.")
    } catch {
      if (error as? WorkspaceError)?.code != .aborted { explain(error, "An aborted transaction") }
    }
  }

  // MARK: Keys of its own

  private func ownKey(_ key: Int) -> String { "own.\(actor.number).\(key)" }

  private func write(_ key: Int, _ value: String?) {
    let key = ownKey(key)
    dictionary[key] = value
    run_.owned[key] = isClosing || hasFaults ? .uncertain : value.map { .value($0) } ?? .absent
  }

  private func writeInTransaction(_ key: Int) {
    let key = ownKey(key)
    let text = "t\(simulation.steps)"
    let before = run_.owned[key] ?? .absent
    do {
      try workspace.transactAndWait { transaction in
        let found = transaction.dictionary[key, String.self].map { Run.Owned.value($0) } ?? .absent
        check(
          before == .uncertain || found == before || hasFaults,
          "A5: a transaction reads \(found) after a plain write of \(before) by its caller.")
        transaction.dictionary[key] = text
      }
      run_.owned[key] = .value(text)
    } catch {
      explain(error, "A transaction")
      run_.owned[key] = .uncertain
    }
  }

  private func readOwn(_ key: Int) {
    let key = ownKey(key)
    guard let expected = run_.owned[key], expected != .uncertain, !hasFaults else { return }
    let found = dictionary[key, String.self].map { Run.Owned.value($0) } ?? .absent
    check(found == expected || isClosing, "A5: '\(key)' reads \(found) after this thread set it to \(expected).")
  }

  // MARK: Reading

  private func readCounter(_ counter: Int) {
    let before = model.seen[index][counter]
    guard
      let value = try? dictionary.value(forKey: Counter.key(counter), as: String.self).map({ Counter.parse($0) ?? 0 })
    else {
      check(before == 0 || isClosing || hasFaults, "A8: counter \(counter) reads nothing after \(before) was seen.")
      return
    }
    check(value >= before || isClosing, "A8: counter \(counter) reads \(value) after \(before) was seen.")
    model.seen[index][counter] = max(model.seen[index][counter], value)
  }

  private func readPair() {
    let before = model.seenPair[index]
    let keys = Self.together.shuffled(using: &simulation.random)
    let first = dictionary[keys[0], Int.self] ?? 0
    let second = dictionary[keys[1], Int.self] ?? 0
    if isClosing || hasFaults { return }
    check(first >= before, "A8: '\(keys[0])' reads \(first) after \(before) was seen.")
    check(second >= first, "A1: '\(keys[0])' reads \(first), and '\(keys[1])' after it \(second).")
    model.seenPair[index] = max(before, first)
  }

  private func snapshot(_ counter: Int) {
    let before = model.acknowledged[counter]
    workspace.fetchWithinASnapshot {
      guard
        let first = try? dictionary.value(forKey: Counter.key(counter), as: String.self).map({ Counter.parse($0) ?? 0 })
      else {
        return check(
          before == 0 || isClosing || hasFaults, "A6: a snapshot reads nothing after \(before) was acknowledged.")
      }
      check(first >= before, "A6/A9: a snapshot reads \(first) after \(before) was acknowledged.")
      Simulation.point()
      let a = dictionary["pair.a", Int.self]
      Simulation.point()
      let b = dictionary["pair.d", Int.self]
      if hasFaults || isClosing { return }
      check(a == b, "A6: a snapshot reads \(a ?? 0) and \(b ?? 0), which are always set together.")
      let again = dictionary[Counter.key(counter), String.self].flatMap { Counter.parse($0) }
      check(again == first, "A6: a snapshot reads \(first), then \(again ?? 0).")
    }
  }

  // MARK: Waiting, observing, closing

  private func flush() {
    model.outstanding += 1
    var isDone = false
    let model = model
    let done = Sent({ [self] (result: Result<Void, any Error>) in
      check(!isDone, "A flush ended twice.")
      isDone = true
      model.outstanding -= 1
      simulation.noteProgress()
      if case .failure(let error) = result { explain(error, "flush") }
    })
    write(0, "\(simulation.steps)")
    dictionary.flush { done.value($0) }
  }

  private func subscribe(_ counter: Int) {
    let watch = Model.Watch(workspace: index, counter: counter)
    let run = run_
    let model = model
    let index = index
    let before = model.seen[index][counter]
    model.subscriptions.append(watch)
    let subscription = dictionary.subscribe(Counter.key(counter)) { change in
      run.check(!run.simulation.holdsLock, "A11: an observer runs under a lock.")
      run.check(watch.running == 0, "A4: two callbacks of one observer run at once.")
      watch.running += 1
      defer { watch.running -= 1 }
      Simulation.point()
      guard let text = try? change.value(as: String.self), let value = Counter.parse(text) else {
        run.check(
          watch.last == nil || run.program.schedule.faultOneIn > 0,
          "A4: an observer is told of a deletion that never was.")
        return
      }
      if change.event == .initial {
        run.check(value >= before, "A4: an observer's initial value is \(value) after \(before) was seen.")
      } else {
        run.check(
          value > watch.last ?? 0, "A4: an observer of counter \(counter) is told \(value) after \(watch.last ?? 0).")
        run.check(
          change.commitNumber >= watch.lastCommit,
          "A4: an observer is told of commit \(change.commitNumber) after \(watch.lastCommit).")
      }
      watch.lastCommit = change.commitNumber
      watch.last = value
      model.seen[index][counter] = max(model.seen[index][counter], value)
      run.simulation.noteProgress()
    }
    watch.isRegistered = !isClosing
    run_.subscriptions.append((watch, subscription))
  }

  private func cancel() {
    guard let position = run_.subscriptions.firstIndex(where: { $0.0.workspace == index }) else { return }
    let (watch, subscription) = run_.subscriptions.remove(at: position)
    watch.isCancelled = true
    subscription.cancel()
  }

  private func shutdown(blocking: Bool) {
    model.isClosing[index] = true
    if blocking { return workspace.shutdown() }
    model.outstanding += 1
    let model = model
    workspace.shutdown { model.outstanding -= 1 }
  }
}
