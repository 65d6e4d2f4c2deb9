/// Takes transactions from their call to their outcome: lanes, baton, group (design: "The way of a write").
///
///     perform ─► lanes ─► closure ─► first touch takes the baton ─► group ─► end of closure
///                                                                            ├─ others wait: hand baton and group on
///                                                                            └─ else: COMMIT, publish, pass the baton
///
/// The decisions are `LaneScheduler`'s, `BatonQueue`'s and `GroupPolicy`'s; this type owns their locks and the threads.
package final class Pipeline: Sendable {
  private struct Lanes {
    var scheduler = LaneScheduler<Lane>()
    var launchers: [UInt64: Launcher] = [:]
    /// Lanes of transactions in the open group: whoever starts now in one of them must hold the baton from its start,
    /// so that it reads what they wrote (A3).
    var uncommitted: Set<Lane> = []

    func ready(_ launcher: Launcher, _ ticket: UInt64) -> Ready {
      Ready(launcher: launcher, needsBaton: !uncommitted.isDisjoint(with: scheduler.lanes(of: ticket)))
    }
  }

  /// Someone who is first in all lanes.
  private struct Ready {
    var launcher: Launcher
    var needsBaton: Bool
  }

  private let lanes = Lock(Lanes())
  private let baton = Lock(BatonQueue<Launcher>())
  /// Whom the baton was handed to, until the thread has begun that goes on with it.
  private let handed = Lock<Launcher?>(nil)
  /// Who waits for a flush that has not begun; one is queued when there is anyone.
  private let flushes = Lock<[Completion]>([])
  private let workers: WorkerPool
  private let isSerial: Bool
  private unowned let core: WorkspaceCore
  let writer: Writer

  init(core: WorkspaceCore, writer: Writer) {
    self.core = core
    self.writer = writer
    self.workers = WorkerPool(core: core, target: core.options.targetQueue)
    self.isSerial = core.options.writeConcurrency == .serial
  }

  // MARK: Transactions

  /// Queues a transaction whose closure runs on a worker thread or the target queue.
  func perform(
    _ types: [Any.Type], completion: Completion,
    body: @escaping @Sendable (TransactionContext) throws -> Void
  ) {
    let lanes = lanes(for: types)
    enqueue(in: lanes) { ticket in
      .closure { [self] holdsBaton in
        let transaction = TransactionContext(core: core, types: types, holdsBaton: holdsBaton)
        let error = run(transaction, body)
        if core.isForked { return nil }  // by the closure: the transaction is the parent's to end
        return end(transaction, ticket: ticket, completion: completion, error: error)
      }
    }
  }

  /// Runs a transaction on this thread, and waits for its outcome.
  func performAndWait(
    _ types: [Any.Type], followsObservers: Bool, body: (TransactionContext) throws -> Void
  ) throws {
    let lanes = lanes(for: types)
    let turn = Promise<Bool>()
    let ticket = enqueue(in: lanes) { _ in .thread(turn) }
    let transaction = TransactionContext(core: core, types: types, holdsBaton: turn.wait())
    let error = run(transaction, body)
    if core.isForked { throw core.forkError }  // by the closure: the transaction is the parent's to end
    let outcome = Promise<Result<Void, any Error>>()
    let completion = Completion(isUserCode: false, followsObservers: followsObservers) { outcome.fulfill($0) }
    handBaton(to: end(transaction, ticket: ticket, completion: completion, error: error))
    try outcome.wait().get()
  }

  private func run(
    _ transaction: TransactionContext, _ body: (TransactionContext) throws -> Void
  ) -> (any Error)? {
    var thrown: (any Error)?
    if transaction.failure == nil {
      do { try ThreadContext.with(transaction.core, .transaction(transaction)) { try body(transaction) } } catch {
        thrown = error
      }
    }
    return transaction.finish(throwing: thrown)
  }

  private func lanes(for types: [Any.Type]) -> [Lane] {
    if isSerial { return [.serial] }
    return types.isEmpty ? [.undeclared] : types.map(Lane.init(of:))
  }

  @discardableResult
  private func enqueue(in wanted: [Lane], _ launcher: (UInt64) -> Launcher) -> UInt64 {
    let (ticket, ready): (UInt64, Ready?) = lanes.withLock { lanes in
      let (ticket, isReady) = lanes.scheduler.enqueue(in: wanted)
      let launcher = launcher(ticket)
      if isReady { return (ticket, lanes.ready(launcher, ticket)) }
      lanes.launchers[ticket] = launcher
      return (ticket, nil)
    }
    if let ready { launch(ready) }
    return ticket
  }

  private func launch(_ ready: Ready) {
    guard ready.needsBaton else { return start(ready.launcher) }
    if baton.withLock({ $0.take { ready.launcher } }) { handBaton(to: ready.launcher) }
  }

  /// Starts someone without the baton.
  private func start(_ launcher: Launcher) {
    switch launcher {
    case .thread(let turn): turn.fulfill(false)
    case .closure(let work):
      workers.run { [self] in
        var next = work(false)
        // What the baton comes to goes on right here. On the target queue that is closures alone.
        while workers.hasTarget, case .closure(let work)? = next {
          next = holdingWriteToken { work(true) }
        }
        if workers.hasTarget { handBaton(to: next) } else { goOn(with: next) }
      }
    case .step: preconditionFailure("A step of the workspace's own begins with the baton.")
    }
  }

  // MARK: Baton

  /// True while someone waits for the baton; for tests.
  package var hasBatonWaiters: Bool { baton.withLock { $0.firstWaiter != nil } }

  /// Blocks until the baton is this thread's: the caller's, or one of the few on which closures run.
  func waitForBaton() {
    var turn: Promise<Bool>?
    let isMine = baton.withLock { baton in
      baton.take {
        let promise = Promise<Bool>()
        turn = promise
        return .thread(promise)
      }
    }
    if !isMine { _ = turn?.wait() }
  }

  /// Hands the baton, and the group that may be open, to someone who is not on this thread.
  ///
  /// Work gets a thread that nobody else can occupy, so that the baton never waits for the threads of those who wait for
  /// it. As one alone holds the baton it is one thread at a time.
  private func handBaton(to next: Launcher?) {
    var next = next
    while workers.hasTarget, case .closure(let work)? = next {
      // Until it runs there, the queue's threads may all be waiting for the baton: it begins without. What it must see
      // is committed for it.
      closeGroup()
      start(.closure(work))
      next = baton.withLock { $0.pass() }
    }
    switch next {
    case .thread(let turn)?: turn.fulfill(true)
    case .closure?, .step?:
      handed.withLock { $0 = next }
      Threads.run { [self, core] in
        ThreadContext.with(core, .worker) { goOn(with: handed.withLock { $0.take() }) }
      }
    case nil: break
    }
  }

  /// Runs whomever the baton comes to on this thread, one after the other, until that is a thread, or nobody. The thread is
  /// one of the workspace's own.
  private func goOn(with first: consuming Launcher?) {
    var next = first
    holdingWriteToken {
      while let launcher = next {
        switch launcher {
        case .closure(let work) where !workers.hasTarget: Threads.pooling { next = work(true) }
        case .step(let work): Threads.pooling { next = work() }
        case .thread, .closure: return
        }
      }
    }
    handBaton(to: next)
  }

  /// Runs `body` where nothing may wait for the baton, because this thread has it for whoever is next. A closure that has run
  /// is destroyed in here, and what it captured may call anything (A11).
  private func holdingWriteToken<T>(_ body: () -> T) -> T { ThreadContext.with(core, .encoding, body) }

  /// Runs `step` with the baton, now or when those before have had it.
  private func queue(_ step: @escaping @Sendable () -> Launcher?) {
    if baton.withLock({ $0.take { .step(step) } }) { handBaton(to: .step(step)) }
  }

  // MARK: Ends

  /// The end of a closure: apply or undo, then hand the group on or commit it. Returns whom the baton went to.
  private func end(
    _ transaction: TransactionContext, ticket: UInt64?, completion: Completion, error: (any Error)?
  ) -> Launcher? {
    guard transaction.holdsBaton else {
      // Never touched the store: nothing to commit, nobody to wait for.
      for ready in ticket.map({ release($0) }) ?? [] { launch(ready) }
      transaction.core.publication.conclude(.init(completion: completion, failure: error), for: transaction.core)
      return nil
    }
    let failure = writer.end(transaction, error: error)
    let member = Group.Member(completion: completion, failure: failure)
    guard writer.group != nil else {
      // No group could be begun, or it broke: whoever was in it has been told.
      let next = closeAndPass(ticket)
      transaction.core.publication.conclude(member, for: transaction.core)
      return next
    }
    return settle(member, ticket: ticket)
  }

  /// Adds a member to the open group, and hands the group on or commits it.
  private func settle(_ member: Group.Member, ticket: UInt64?) -> Launcher? {
    guard let group = writer.group else { preconditionFailure("Only an open group takes members.") }
    group.members.append(member)
    let hasSuccessor = ticket.map { ticket in lanes.withLock { $0.scheduler.hasSuccessor(ticket) } } ?? false
    let waiter = baton.withLock { $0.firstWaiter }
    let othersWait = hasSuccessor || waiter != nil
    guard
      mayWait(group.members, for: waiter),
      writer.policy.handsOn(members: group.members.count, age: .now - group.startedAt, othersWait: othersWait)
    else { return closeAndPass(ticket) }
    // Released inside the open group: the successors' tickets are queued for the baton.
    let ready = ticket.map { release($0, keepsUncommitted: true) } ?? []
    return baton.withLock { baton in
      for ready in ready { baton.queue(ready.launcher) }
      return baton.pass()
    }
  }

  /// A blocked thread is not made to wait for a closure that has not begun on a worker: the closure may be waiting for that
  /// very thread, as one does that runs something on the main queue. Threads that block alike wait for each other, and for
  /// steps, which wait for nobody.
  private func mayWait(_ members: [Group.Member], for next: Launcher?) -> Bool {
    switch next {
    case .thread?, .step?: true
    case .closure?, nil: members.allSatisfy { $0.completion.isUserCode }
    }
  }

  /// Commits the group, releases the ticket's lanes and passes the baton.
  private func closeAndPass(_ ticket: UInt64?) -> Launcher? {
    closeGroup()
    for ready in ticket.map({ release($0) }) ?? [] { launch(ready) }
    return baton.withLock { $0.pass() }
  }

  private func closeGroup() {
    writer.close()
    lanes.withLock { $0.uncommitted = [] }
  }

  private func release(_ ticket: UInt64, keepsUncommitted: Bool = false) -> [Ready] {
    lanes.withLock { lanes in
      if keepsUncommitted { lanes.uncommitted.formUnion(lanes.scheduler.lanes(of: ticket)) }
      return lanes.scheduler.finish(ticket).compactMap { next in
        lanes.launchers.removeValue(forKey: next).map { lanes.ready($0, next) }
      }
    }
  }

  // MARK: Plain writes

  /// Commits the plain writes that wait, on this thread, with those of others.
  package func flushAndWait() throws {
    let outcome = Promise<Result<Void, any Error>>()
    waitForBaton()
    handBaton(to: flush(.waking { outcome.fulfill($0) }))
    try outcome.wait().get()
  }

  /// Commits the plain writes that wait, without a thread that waits for that, whatever the target queue is busy with.
  ///
  /// Whoever asks while a flush is queued that has not begun has part in it.
  package func flushLater(completion: Completion) {
    let isFirst = flushes.withLock { flushes in
      flushes.append(completion)
      return flushes.count == 1
    }
    guard isFirst else { return }
    queue { [self] in
      // Before anything is flushed: those who come later need another one.
      let asked = flushes.withLock { flushes in
        defer { flushes = [] }
        return flushes
      }
      return flush(.waking { result in for completion in asked { completion.run(result) } })
    }
  }

  /// Runs a step of the workspace's own, without a thread that waits for it, whatever the target queue is busy with: a
  /// transaction that is in no lane, and has the baton from its start.
  func maintainLater(completion: Completion, body: @escaping @Sendable (TransactionContext) throws -> Void) {
    queue { [self] in
      let transaction = TransactionContext(core: core, types: [], holdsBaton: true)
      let error = run(transaction, body)
      return end(transaction, ticket: nil, completion: completion, error: error)
    }
  }

  private func flush(_ completion: Completion) -> Launcher? {
    do { try writer.flush() } catch {
      completion.run(.failure(error))
      return closeAndPass(nil)
    }
    guard writer.group != nil else {
      completion.run(.success(()))
      return closeAndPass(nil)
    }
    return settle(.init(completion: completion, failure: nil), ticket: nil)
  }

  // MARK: Exclusive use

  /// Runs `body` with the baton in hand and no group open: checkpoints, vacuum, closing.
  func exclusively<T>(_ body: (Writer) throws -> T) rethrows -> T {
    waitForBaton()
    defer { handBaton(to: baton.withLock { $0.pass() }) }
    // Whoever handed the baton on may have left its group open.
    closeGroup()
    return try body(writer)
  }
}
