import Dispatch

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
  private let workers: WorkerPool
  private let isSerial: Bool
  let writer: Writer

  init(writer: Writer, options: SQLiteWorkspace.Options, owner: QueueOwner) {
    self.writer = writer
    self.workers = WorkerPool(target: options.targetQueue, owner: owner)
    self.isSerial = options.writeConcurrency == .serial
  }

  // MARK: Transactions

  /// Queues a transaction whose closure runs on a worker thread.
  func perform(
    _ types: [Any.Type], for core: WorkspaceCore, completion: Completion,
    body: @escaping @Sendable (TransactionContext) throws -> Void
  ) {
    let lanes = lanes(for: types)
    enqueue(in: lanes) { ticket in
      .work { [self] holdsBaton in
        ThreadContext.with(core, .worker) {
          let transaction = TransactionContext(core: core, types: types, holdsBaton: holdsBaton)
          let error = run(transaction, body)
          return end(transaction, ticket: ticket, completion: completion, error: error)
        }
      }
    }
  }

  /// Runs a transaction on this thread, and waits for its outcome.
  func performAndWait(
    _ types: [Any.Type], for core: WorkspaceCore, followsObservers: Bool, body: (TransactionContext) throws -> Void
  ) throws {
    let lanes = lanes(for: types)
    let turn = Promise<Bool>()
    let ticket = enqueue(in: lanes) { _ in .thread(turn) }
    let transaction = TransactionContext(core: core, types: types, holdsBaton: turn.wait())
    let error = run(transaction, body)
    let outcome = Promise<Result<Void, any Error>>()
    let completion = Completion(isUserCode: false, followsObservers: followsObservers) { outcome.fulfill($0) }
    if let next = end(transaction, ticket: ticket, completion: completion, error: error) { handBaton(to: next) }
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
    guard ready.needsBaton else { return start(ready.launcher, holdsBaton: false) }
    if baton.withLock({ $0.take { ready.launcher } }) { handBaton(to: ready.launcher) }
  }

  // MARK: Baton

  /// True while someone waits for the baton; for tests.
  package var hasBatonWaiters: Bool { baton.withLock { $0.firstWaiter != nil } }

  /// Blocks until the baton is this thread's.
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
  /// Work for a target queue takes the baton when it runs: until then the queue's threads may all be waiting for it.
  private func handBaton(to next: Launcher) {
    var next = next
    while workers.hasTarget, case .work(let work) = next {
      start(
        .work { [self] _ in
          waitForBaton()
          return work(true)
        }, holdsBaton: false)
      guard let following = closeAndPass(nil) else { return }
      next = following
    }
    start(next, holdsBaton: true)
  }

  private func start(_ launcher: Launcher, holdsBaton: Bool) {
    switch launcher {
    case .thread(let turn): turn.fulfill(holdsBaton)
    case .work(let work):
      workers.run { [self] in
        // Whom the baton is handed to next runs right here when it needs a worker.
        var next = work(holdsBaton)
        while case .work(let work) = next { next = work(true) }
        if let next { start(next, holdsBaton: true) }
      }
    }
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
  /// very thread, as one does that runs something on the main queue. Threads that block alike wait for each other.
  private func mayWait(_ members: [Group.Member], for next: Launcher?) -> Bool {
    if case .thread? = next { return true }
    return members.allSatisfy { $0.completion.isUserCode }
  }

  /// Commits the group, releases the ticket's lanes and passes the baton.
  private func closeAndPass(_ ticket: UInt64?) -> Launcher? {
    writer.close()
    lanes.withLock { $0.uncommitted = [] }
    for ready in ticket.map({ release($0) }) ?? [] { launch(ready) }
    return baton.withLock { $0.pass() }
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
    if let next = flush(.waking { outcome.fulfill($0) }) { handBaton(to: next) }
    try outcome.wait().get()
  }

  /// Commits the plain writes that wait, on a thread of the workspace's own, whatever the target queue is busy with.
  package func flushLater(for core: WorkspaceCore, completion: Completion) {
    workers.runOnOwnThread { [self] in
      ThreadContext.with(core, .worker) {
        waitForBaton()
        if let next = flush(completion) { handBaton(to: next) }
      }
    }
  }

  /// Runs a step of the workspace's own, on a thread of its own, whatever the target queue is busy with: a transaction
  /// that is in no lane, and has the baton from its start.
  func maintainLater(
    for core: WorkspaceCore, completion: Completion, body: @escaping @Sendable (TransactionContext) throws -> Void
  ) {
    workers.runOnOwnThread { [self] in
      ThreadContext.with(core, .worker) {
        waitForBaton()
        let transaction = TransactionContext(core: core, types: [], holdsBaton: true)
        let error = run(transaction, body)
        if let next = end(transaction, ticket: nil, completion: completion, error: error) { handBaton(to: next) }
      }
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
    defer {
      if let next = baton.withLock({ $0.pass() }) { handBaton(to: next) }
    }
    // Whoever handed the baton on may have left its group open.
    writer.close()
    lanes.withLock { $0.uncommitted = [] }
    return try body(writer)
  }
}
