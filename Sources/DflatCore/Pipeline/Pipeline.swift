/// Takes transactions from their call to their outcome: lanes, write token, group. See "The write path" in
/// `docs/architecture.md`.
///
///     perform ─► lanes ─► closure ─► first access takes the token ─► group ─► end of closure
///                                                                              ├─ others wait: pass token and group on
///                                                                              └─ else: COMMIT, publish, pass the token
///
/// `LaneScheduler`, `WriteTokenQueue` and `GroupPolicy` make the decisions; this type owns their locks and the threads.
package final class Pipeline: Sendable {
  private struct Lanes {
    var scheduler = LaneScheduler<Lane>()
    var waiters: [UInt64: Waiter] = [:]
    /// The lanes of the transactions in the open group. A transaction that starts in one of these lanes must hold the
    /// write token from its start, so that it reads their writes (A3).
    var uncommitted: Set<Lane> = []

    /// True if every transaction must hold the write token from its start: those of a replica begin with the turn, so
    /// that no commit of another machine comes between what they read and what they write.
    let needWriteToken: Bool

    func ready(_ waiter: Waiter, _ ticket: UInt64) -> Ready {
      Ready(
        waiter: waiter,
        needsWriteToken: needWriteToken || !uncommitted.isDisjoint(with: scheduler.lanes(of: ticket)))
    }
  }

  /// A waiter that is first in all of its lanes.
  private struct Ready {
    var waiter: Waiter
    var needsWriteToken: Bool
  }

  private let lanes: Lock<Lanes>
  private let writeToken = Lock(WriteTokenQueue<Waiter>())
  /// The waiter that was handed the write token, until a thread starts to run it.
  private let handed = Lock<Waiter?>(nil)
  /// The completions of callers that wait for a flush that hasn't started. While there are any, one flush is queued.
  private let flushes = Lock<[Completion]>([])
  private unowned let workspace: WorkspaceIdentity
  private let tables: [any ParticipantTables]
  let writer: Writer
  private let publication: Publication
  private let views: PublishedViews
  private let workers: WorkerPool
  private let isSerial: Bool

  init(
    workspace: WorkspaceIdentity, tables: [any ParticipantTables], writer: Writer, publication: Publication,
    views: PublishedViews, workers: WorkerPool, isSerial: Bool
  ) {
    self.workspace = workspace
    self.tables = tables
    self.writer = writer
    self.publication = publication
    self.views = views
    self.workers = workers
    self.isSerial = isSerial
    lanes = Lock(Lanes(needWriteToken: writer.replica != nil))
  }

  // MARK: Transactions

  /// Queues a transaction whose closure runs on a worker thread or the target queue.
  func perform(
    declaring declared: [Lane], completion: Completion,
    body: @escaping @Sendable (TransactionContext) throws -> Void
  ) {
    enqueue(in: lanes(of: declared)) { ticket in
      .closure { [self] holdsWriteToken in
        let transaction = makeTransaction(declaring: declared, holdsWriteToken: holdsWriteToken)
        let error = run(transaction, body)
        if workspace.isForked { return nil }  // forked by the closure: the transaction is the parent's to end
        return end(transaction, ticket: ticket, completion: completion, error: error)
      }
    }
  }

  /// Runs a transaction on this thread, and waits for its outcome.
  func performAndWait(
    declaring declared: [Lane], followsObservers: Bool, body: (TransactionContext) throws -> Void
  ) throws {
    // Wait to be first in all lanes, and run the closure.
    let turn = Promise<Bool>()
    let ticket = enqueue(in: lanes(of: declared)) { _ in .thread(turn) }
    ThreadContext.startLeftWork()
    let transaction = makeTransaction(declaring: declared, holdsWriteToken: turn.wait())
    let error = run(transaction, body)
    // Forked by the closure: the transaction is the parent's to end.
    if workspace.isForked { throw workspace.forkError }
    // End the transaction, and wait for the COMMIT.
    let outcome = Promise<Result<Void, any Error>>()
    let completion = Completion(isUserCode: false, followsObservers: followsObservers) { outcome.fulfill($0) }
    passWriteToken(to: end(transaction, ticket: ticket, completion: completion, error: error))
    ThreadContext.startLeftWork()
    try outcome.wait().get()
  }

  private func makeTransaction(declaring lanes: [Lane], holdsWriteToken: Bool) -> TransactionContext {
    TransactionContext(workspace: workspace, access: self, declaring: lanes, holdsWriteToken: holdsWriteToken)
  }

  /// Runs a transaction's closure, and returns the error that ends the transaction.
  private func run(
    _ transaction: TransactionContext, _ body: (TransactionContext) throws -> Void
  ) -> (any Error)? {
    var thrown: (any Error)?
    if transaction.failure == nil {
      do { try ThreadContext.with(transaction.workspace, .transaction(transaction)) { try body(transaction) } } catch {
        thrown = error
      }
    }
    return transaction.finish(throwing: thrown)
  }

  /// Returns the lane of a type that transactions declare.
  func lane(of type: Any.Type) -> Lane {
    for participant in tables {
      if let lane = participant.lane(of: type) { return lane }
    }
    return .type(ObjectIdentifier(type))
  }

  /// Returns the lanes in which a transaction waits, from the lanes of its declared types.
  private func lanes(of declared: [Lane]) -> [Lane] {
    if isSerial { return [.serial] }
    return declared.isEmpty ? [.undeclared] : declared
  }

  /// Takes a ticket in each lane. Starts the waiter now if it is first in all of them, or else once it is.
  @discardableResult
  private func enqueue(in wanted: [Lane], _ waiter: (UInt64) -> Waiter) -> UInt64 {
    let (ticket, ready): (UInt64, Ready?) = lanes.withLock { lanes in
      let (ticket, isReady) = lanes.scheduler.enqueue(in: wanted)
      let waiter = waiter(ticket)
      if isReady { return (ticket, lanes.ready(waiter, ticket)) }
      lanes.waiters[ticket] = waiter
      return (ticket, nil)
    }
    if let ready { launch(ready) }
    return ticket
  }

  /// Starts a waiter that is first in all lanes, with the write token if it needs it.
  private func launch(_ ready: Ready) {
    guard ready.needsWriteToken else { return start(ready.waiter) }
    if writeToken.withLock({ $0.take { ready.waiter } }) { passWriteToken(to: ready.waiter) }
  }

  /// Starts a waiter without the write token.
  private func start(_ waiter: Waiter) {
    switch waiter {
    case .thread(let turn): turn.fulfill(false)
    case .closure(let work):
      workers.run { [self] in
        var next = work(false)
        // Run the next closure that gets the token right here. On the target queue, only closures may run.
        while workers.hasTarget, case .closure(let work)? = next {
          next = holdingWriteToken { work(true) }
        }
        if workers.hasTarget { passWriteToken(to: next) } else { goOn(with: next) }
      }
    case .step: preconditionFailure("An internal step must begin with the write token.")
    }
  }

  // MARK: Write token

  /// True while there are waiters for the write token; for tests.
  package var hasWriteTokenWaiters: Bool { writeToken.withLock { $0.firstWaiter != nil } }

  /// True while a thread or a step has the write token, for tests.
  package var isWriteTokenHeld: Bool { writeToken.withLock { $0.isHeld } }

  /// Blocks until this thread holds the write token. The thread is a caller's, or one of the few that run closures.
  func waitForWriteToken() {
    var turn: Promise<Bool>?
    let isMine = writeToken.withLock { writeToken in
      writeToken.take {
        let promise = Promise<Bool>()
        turn = promise
        return .thread(promise)
      }
    }
    if isMine { return }
    // This thread may be a worker that runs code of a value that it destroys.
    ThreadContext.startLeftWork()
    _ = turn?.wait()
  }

  /// Hands the write token, and the group if one is open, to a waiter that isn't on this thread.
  ///
  /// A closure or step gets a thread that nothing else can occupy, so that the holder of the token never depends on the
  /// threads of those who wait for it. Only one such thread is in use at a time, because the token has one holder.
  private func passWriteToken(to next: Waiter?) {
    var next = next
    while workers.hasTarget, case .closure(let work)? = next {
      // The queue's threads may all be waiting for the token until the closure runs, so it starts without the token.
      // The changes that it must see are committed for it.
      closeGroup()
      start(.closure(work))
      next = writeToken.withLock { $0.pass() }
    }
    switch next {
    case .thread(let turn)?: turn.fulfill(true)
    case .closure?, .step?:
      handed.withLock { $0 = next }
      Threads.run { [self, workspace] in
        ThreadContext.asWorker(of: workspace) { goOn(with: handed.withLock { $0.take() }) }
      }
    case nil: break
    }
  }

  /// Runs each waiter that gets the write token on this thread, until the next one is a thread or there is none. This
  /// thread is one of the workspace's own.
  private func goOn(with first: consuming Waiter?) {
    var next = first
    holdingWriteToken {
      while let waiter = next {
        // The waiter may run for long, or wait for the callbacks of the commit before it.
        ThreadContext.startLeftWork()
        switch waiter {
        case .closure(let work) where !workers.hasTarget: Threads.pooling { next = work(true) }
        case .step(let work): Threads.pooling { next = work() }
        case .thread, .closure: return
        }
        // The closure is destroyed here, and this thread may go on.
        ThreadContext.startLeftWork()
      }
    }
    passWriteToken(to: next)
  }

  /// Runs `body` in a context that must not wait for the write token, because this thread holds it for the next waiter.
  /// Closures that have run are destroyed in this context, and deinitializers of the captured values may run any code
  /// (A11).
  private func holdingWriteToken<T>(_ body: () -> T) -> T { ThreadContext.with(workspace, .encoding, body) }

  /// Runs `step` with the write token, once the waiters before it have had it.
  private func queue(_ step: @escaping @Sendable () -> Waiter?) {
    if writeToken.withLock({ $0.take { .step(step) } }) { passWriteToken(to: .step(step)) }
  }

  // MARK: Ending transactions

  /// Ends a transaction: applies or undoes it, and then passes its group on or commits it. Returns the waiter that the
  /// write token went to.
  private func end(
    _ transaction: TransactionContext, ticket: UInt64?, completion: Completion, error: (any Error)?
  ) -> Waiter? {
    guard transaction.holdsWriteToken else {
      // The closure never needed the write token: there is nothing to commit.
      for ready in ticket.map({ release($0) }) ?? [] { launch(ready) }
      publication.conclude(.init(completion: completion, failure: error), for: transaction.workspace)
      return nil
    }
    // The transaction's values are destroyed in this context, too.
    return holdingWriteToken {
      // Apply or undo the transaction's changes.
      let failure = writer.end(transaction, error: error)
      // Release its statements before another thread can have the write token and close the connection: SQLite would
      // keep the file open until the last statement is gone, and leave its log and `-shm` behind.
      transaction.release()
      let member = Group.Member(completion: completion, failure: failure)
      guard writer.group != nil else {
        // No group could be opened, or it failed, and its members have received the error.
        let next = closeAndPass(ticket)
        publication.conclude(member, for: transaction.workspace)
        return next
      }
      return addMember(member, ticket: ticket)
    }
  }

  /// Adds a member to the open group, and passes the group on or commits it. Returns the waiter that the write token
  /// went to.
  private func addMember(_ member: Group.Member, ticket: UInt64?) -> Waiter? {
    guard let group = writer.group else { preconditionFailure("Only an open group can take members.") }
    group.members.append(member)
    // Pass the group on only if others wait and may join.
    let hasSuccessor = ticket.map { ticket in lanes.withLock { $0.scheduler.hasSuccessor(ticket) } } ?? false
    let waiter = writeToken.withLock { $0.firstWaiter }
    let othersWait = hasSuccessor || waiter != nil
    guard
      mayWait(group.members, for: waiter),
      writer.policy.passesOn(members: group.members.count, age: .now - group.startedAt, othersWait: othersWait)
    else { return closeAndPass(ticket) }
    // Release the lanes while the group is open: the successors queue for the write token.
    let ready = ticket.map { release($0, keepsUncommitted: true) } ?? []
    return writeToken.withLock { writeToken in
      for ready in ready { writeToken.queue(ready.waiter) }
      return writeToken.pass()
    }
  }

  /// Returns true if the members may wait until `next` ends.
  ///
  /// A blocked thread must not wait for a closure that hasn't started on a worker: the closure may need that very
  /// thread, for example to run something on the main queue. Blocked threads may wait for each other, and for steps,
  /// which wait for nothing.
  private func mayWait(_ members: [Group.Member], for next: Waiter?) -> Bool {
    switch next {
    case .thread?, .step?: true
    case .closure?, nil: members.allSatisfy { $0.completion.isUserCode }
    }
  }

  /// Commits the group, releases the ticket's lanes, and passes the write token on.
  private func closeAndPass(_ ticket: UInt64?) -> Waiter? {
    closeGroup()
    for ready in ticket.map({ release($0) }) ?? [] { launch(ready) }
    return writeToken.withLock { $0.pass() }
  }

  /// Commits the open group, if there is one. Its lanes have no uncommitted transactions afterwards.
  private func closeGroup() {
    writer.commitGroup()
    lanes.withLock { $0.uncommitted = [] }
  }

  /// Gives the ticket back, and returns the waiters that are now first in all of their lanes.
  private func release(_ ticket: UInt64, keepsUncommitted: Bool = false) -> [Ready] {
    lanes.withLock { lanes in
      if keepsUncommitted { lanes.uncommitted.formUnion(lanes.scheduler.lanes(of: ticket)) }
      return lanes.scheduler.finish(ticket).compactMap { next in
        lanes.waiters.removeValue(forKey: next).map { lanes.ready($0, next) }
      }
    }
  }

  // MARK: Plain writes

  /// Commits the waiting plain writes on this thread, together with those of others. Blocks until they are committed.
  package func flushAndWait() throws {
    let outcome = Promise<Result<Void, any Error>>()
    waitForWriteToken()
    passWriteToken(to: flush(.waking { outcome.fulfill($0) }))
    ThreadContext.startLeftWork()
    try outcome.wait().get()
  }

  /// Commits the waiting plain writes without blocking a thread, however busy the target queue is.
  ///
  /// Calls that come while a flush is queued but hasn't started share that flush.
  package func flushLater(completion: Completion) {
    let isFirst = flushes.withLock { flushes in
      flushes.append(completion)
      return flushes.count == 1
    }
    guard isFirst else { return }
    queue { [self] in
      // Take the completions before flushing: later callers need another flush.
      let asked = flushes.withLock { flushes in
        defer { flushes = [] }
        return flushes
      }
      return flush(.waking { result in for completion in asked { completion.run(result) } })
    }
  }

  /// Commits the waiting plain writes without blocking a thread, unless they wait for the cluster. Then they are
  /// flushed after a pause.
  package func flushInBackground() {
    if writer.replica?.isFlushPostponed == true { return }
    flushLater(completion: .ignored)
  }

  /// Runs an internal step without blocking a thread, however busy the target queue is. The step is a transaction in no
  /// lane that holds the write token from its start.
  package func maintainLater(completion: Completion, body: @escaping @Sendable (TransactionContext) throws -> Void) {
    queue { [self] in
      let transaction = makeTransaction(declaring: [], holdsWriteToken: true)
      let error = run(transaction, body)
      return end(transaction, ticket: nil, completion: completion, error: error)
    }
  }

  /// Runs `body` with the write token while no group is open, without blocking a thread. `body` must not wait.
  func whileNoGroupIsOpen(_ body: @escaping @Sendable () -> Void) {
    queue { [self] in
      closeGroup()
      body()
      return writeToken.withLock { $0.pass() }
    }
  }

  /// Flushes the plain writes into the group, and passes the group on or commits it.
  private func flush(_ completion: Completion) -> Waiter? {
    let completion = writer.replica == nil ? completion : repeatingAfterConflict(completion)
    do { try writer.flush() } catch {
      completion.run(.failure(error))
      return closeAndPass(nil)
    }
    guard writer.group != nil else {
      completion.run(.success(()))
      return closeAndPass(nil)
    }
    return addMember(.init(completion: completion, failure: nil), ticket: nil)
  }

  /// Returns the completion of a flush on a replica. The plain writes of a group that lost the turn are pending again,
  /// and no caller could repeat them, so the flush runs again (A5).
  private func repeatingAfterConflict(_ completion: Completion) -> Completion {
    .waking { [self] result in
      if case .failure(let error as WorkspaceError) = result, error.code == .conflict {
        flushLater(completion: completion)
      } else {
        completion.run(result)
      }
    }
  }

  // MARK: Exclusive use

  /// Runs `body` while this thread holds the write token and no group is open: for checkpoints, vacuum, closing. Blocks
  /// until the token is free.
  func exclusively<T>(_ body: (Writer) throws -> T) rethrows -> T {
    waitForWriteToken()
    defer { passWriteToken(to: writeToken.withLock { $0.pass() }) }
    // The previous holder of the token may have left its group open.
    closeGroup()
    return try body(writer)
  }
}

extension Pipeline: TransactionAccess {
  var readers: ReaderPool { views.readers }

  func pinnedView() -> Snapshot { views.pinnedView(for: workspace) }

  func begin(_ transaction: TransactionContext) throws -> Group { try writer.begin(transaction) }
}
