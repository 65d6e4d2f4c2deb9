import DflatCore
import DflatSQLite
import Dispatch

extension DictionaryStore {
  /// Plain writes are committed when none came for this long, unless somebody waits for them,
  static let gathering = DispatchTimeInterval.milliseconds(2)
  /// and after so many times that long at the latest, 100 ms: a burst is committed once, and the commit does not compete
  /// with those who make it for the cores.
  static let longestGathering = 50

  /// Writes on this thread: staged in the transaction that it runs, else plain. Errors that nobody can catch are reported.
  @inline(__always)
  func write(_ value: CachedValue, for key: HashedKey) {
    if ThreadContext.isNone || !stage(.set(key, value)) { writePlain(value, for: key) }
  }

  func remove(_ clear: Clear) {
    if ThreadContext.isNone || !stage(.clear(clear)) { removePlain(clear) }
  }

  /// A write that nobody can catch failed: the transaction that this thread runs fails with it (A1), else it is reported.
  func failWrite(_ error: WorkspaceError) {
    if let transaction = ThreadContext.transaction(of: core) { transaction.fail(error) } else { recordFailure(error) }
  }

  // MARK: In a transaction

  /// False when this thread runs no transaction.
  private func stage(_ operation: Operation) -> Bool {
    guard let transaction = ThreadContext.transaction(of: core) else { return false }
    do { try stage(operation, in: transaction) } catch {
      // The transaction has failed or was aborted, and its caller is told so.
    }
    return true
  }

  func stage(_ operation: Operation, in transaction: TransactionContext) throws {
    let group = try transaction.joinedGroup()
    let changes = transaction.changes(of: self)
    if case .set(let key, let value) = operation {
      let current =
        changes.value(of: key) ?? group.changedValue(of: key)
        ?? shards.withShard(of: key) { $0.committed[key]?.value }
      if let current, current.isIdentical(to: value) { return }
    }
    changes.append(operation)
  }

  // MARK: Plain

  private func writePlain(_ value: CachedValue, for key: HashedKey) {
    if !ForkGuard.isOriginal, core.isForked { return recordFailure(core.forkError) }
    let acceptance: Acceptance = shards.withShard(of: key) { shard in
      if shard.isClosed { return .refused }
      // What is committed may be newer in the file than here: a write of the same value is left out when it is applied.
      if let index = shard.pending.values.index(forKey: key) {
        if shard.pending.values.values[index].isIdentical(to: value) { return .waits }
        shard.pending.values.values[index] = value
      } else {
        shard.pending.values[key] = value
      }
      // In here, so that whoever drains this shard later finds the mark.
      return markPending()
    }
    switch acceptance {
    case .waits: break
    case .isFirst: scheduleFlush()
    case .refused: recordFailure(refusal(key))
    }
  }

  /// One ordered operation: all shards at once, so that every write is before or after it.
  private func removePlain(_ clear: Clear) {
    if core.isForked { return recordFailure(core.forkError) }
    let acceptance: Acceptance = shards.withAll { locked in
      var isClosed = false
      locked.forEachShard { isClosed = isClosed || $0.isClosed }
      if isClosed { return .refused }
      locked.forEachShard { $0.pending.clear(clear) }
      return markPending()
    }
    switch acceptance {
    case .waits: break
    case .isFirst: scheduleFlush()
    case .refused: recordFailure(core.shutdownError)
    }
  }

  private func refusal(_ key: HashedKey) -> WorkspaceError {
    core.shutdownError.about(key: key.string, namespace: name(of: key), path: core.path)
  }

  /// The fate of a plain write.
  private enum Acceptance {
    case refused, waits
    /// None waited before: its commit is to be scheduled, under no lock, as that may make a thread.
    case isFirst
  }

  @inline(__always)
  private func markPending() -> Acceptance {
    if !hasNewWrites.load(ordering: .relaxed) { hasNewWrites.store(true, ordering: .relaxed) }
    if hasPending.load(ordering: .relaxed) { return .waits }
    hasPending.store(true, ordering: .sequentiallyConsistent)
    return .isFirst
  }

  /// One flush is due at a time: what comes while it waits is in it, whoever asked for it.
  private func scheduleFlush() {
    // Sequentially consistent, as in the flush: either it sees this write, or this sees that it is over.
    if isFlushScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    hasNewWrites.store(false, ordering: .relaxed)
    flush(whenQuietAfter: 1)
  }

  private func flush(whenQuietAfter round: Int) {
    TimerQueue.run(after: Self.gathering) { [core] in
      let store = DictionaryStore.of(core)
      let isBusy = store.hasNewWrites.exchange(false, ordering: .relaxed)
      if isBusy, round < Self.longestGathering, core.isOpen { return store.flush(whenQuietAfter: round + 1) }
      _ = store.isFlushScheduled.exchange(false, ordering: .sequentiallyConsistent)
      if store.hasPending.load(ordering: .sequentiallyConsistent), core.isOpen {
        core.pipeline.flushLater(completion: .ignored)
      }
    }
  }

  // MARK: Waiting

  /// Blocks until the plain writes that were made before are in the file.
  func synchronize() throws {
    if core.isForked { throw core.forkError }
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    let result = Result { if hasUnsettledWrites { try core.pipeline.flushAndWait() } }
    try settle(result)
  }

  func flush() async throws {
    if core.isForked { throw core.forkError }
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    guard hasUnsettledWrites else { return try settle(.success(())) }
    let result = await withCheckedContinuation { continuation in
      core.pipeline.flushLater(completion: .waking { continuation.resume(returning: $0) })
    }
    try settle(result)
  }

  /// The writes' own failures say more than that of the flush.
  func settle(_ flush: Result<Void, any Error>) throws {
    if let failure = takeFailure() { throw failure }
    try flush.get()
  }

  var hasUnsettledWrites: Bool {
    hasPending.load(ordering: .acquiring) || isFlushing.load(ordering: .acquiring)
  }
}
