import DflatCore
import DflatSQLite
import Dispatch

/// A plain write is queued in its shard, then committed after `batchingDelay` or when a caller waits for it
/// (`synchronize`, `flush`). The next group of any kind takes it, too (`Writer.begin`). With `.full` durability, it
/// then survives a loss of power; with `.normal`, only a crash of the program (`Options.synchronous`, `DatabaseFile`).
extension DictionaryStore {
  /// The idle time after which plain writes commit, unless a caller waits for them.
  static let batchingDelay = DispatchTimeInterval.milliseconds(2)
  /// The number of `batchingDelay` periods after which plain writes commit at the latest (100 ms). A burst commits
  /// once, and the commit doesn't compete for cores with the threads that write.
  static let longestGathering = 50

  /// Writes a value on this thread: staged if the thread runs a transaction, otherwise plain. The caller can't catch
  /// errors, so they are reported.
  @inline(__always)
  func write(_ value: CachedValue, for key: HashedKey) {
    if ThreadContext.isNone || !stage(.set(key, value)) { writePlain(value, for: key) }
  }

  /// Writes a value. Encodes it outside every lock (A11): at once in a transaction, perhaps later for a plain write.
  @inline(__always)
  func write<C: ValueCoding>(_ value: C.Value?, for key: HashedKey, by coding: C.Type) throws {
    guard let value else { return write(.absent, for: key) }
    if ThreadContext.isNone { return write(try C.wrap(value), for: key) }
    let wrapped = try C.wrap(value)
    write(ThreadContext.transaction(of: core) == nil ? wrapped : try wrapped.encoded(), for: key)
  }

  func remove(_ removal: PrefixRange) {
    if ThreadContext.isNone || !stage(.removePrefix(removal)) { removePlain(removal) }
  }

  /// Handles the failure of a write whose caller can't catch it: fails this thread's transaction (A1), or reports the
  /// error (A7).
  func failWrite(_ error: WorkspaceError) {
    if core.refusedWrite() != nil { return }
    if let transaction = ThreadContext.transaction(of: core) { transaction.fail(error) } else { recordFailure(error) }
  }

  // MARK: In a transaction

  /// Stages an operation in this thread's transaction. Returns false if the thread runs none. A write of an observed
  /// closure is refused, and fails the closure.
  private func stage(_ operation: Operation) -> Bool {
    // Directly in a transaction's closure, as most writes are, neither question arises.
    var found = ThreadContext.innermostTransaction(of: core)
    if found == nil {
      if core.refusedWrite() != nil { return true }
      found = ThreadContext.transaction(of: core)
    }
    guard let transaction = found else { return false }
    do { try stage(operation, in: transaction) } catch {
      // The transaction has failed or was aborted; its caller receives the error.
    }
    return true
  }

  func stage(_ operation: Operation, in transaction: TransactionContext) throws {
    let group = try transaction.joinedGroup()
    let changes = transaction.changes(of: self)
    // Skip a write of the value that the transaction already sees.
    if case .set(let key, let value) = operation {
      if let staged = changes.value(of: key) {
        if staged.isIdentical(to: value) { return }
        if staged.kind == .sealed || value.kind == .sealed {
          return try stage(value, for: key, over: staged, in: transaction)
        }
      } else {
        let current = group.changedValue(of: key) ?? shards.withShard(of: key) { $0.committed[key]?.value }
        if let current, current.isIdentical(to: value) { return }
      }
    }
    changes.append(operation)
  }

  /// Stages a write over one that the transaction has staged before, if either value is sealed. Only the last write of
  /// a key is applied, so the two are compared here.
  private func stage(
    _ value: CachedValue, for key: HashedKey, over staged: CachedValue, in transaction: TransactionContext
  ) throws {
    let changes = transaction.changes(of: self)
    let present = staged.visible(at: transaction.time.now(by: core.options.wallClock))
    if present.isAbsent || value.isAbsent {
      // A value that has expired is gone as if the transaction had removed it.
      if present.isAbsent, !staged.isAbsent { changes.append(.set(key, .absent)) }
      return changes.append(.set(key, value))
    }
    if let refusal = value.sealAuthority.refusal(over: present, forKey: key.string) {
      let error = refusal.about(key: key.string, namespace: name(of: key), path: core.path)
      transaction.fail(error)
      throw error
    }
    changes.append(.set(key, value.following(staged)))
  }

  // MARK: Plain

  private func writePlain(_ value: CachedValue, for key: HashedKey) {
    if !ForkGuard.isOriginal, core.isForked { return recordFailure(core.forkError) }
    // The replaced value, released after the lock (A11).
    var displaced = CachedValue.absent
    defer { withExtendedLifetime(displaced) {} }
    let acceptance: Acceptance = shards.withShard(of: key) { shard in
      if shard.isClosed { return .refused }
      // Don't compare with the committed value: the file may hold a newer one from another process. A write that
      // changes nothing is left out when it is applied.
      if let index = shard.pending.values.index(forKey: key) {
        if shard.pending.values.values[index].isIdentical(to: value) { return .waits }
        displaced = value
        swap(&shard.pending.values.values[index], &displaced)
        shard.pending.noteWrite(of: value, for: key, over: displaced)
      } else {
        shard.pending.values[key] = value
      }
      // Under the lock, so that a drain that takes the write also finds the mark.
      return markPending()
    }
    switch acceptance {
    case .waits: break
    case .isFirst: scheduleFlush()
    case .refused: recordFailure(refusal(key))
    }
  }

  /// Removes a range as one operation. Locks all shards, so that every write comes before or after it.
  private func removePlain(_ removal: PrefixRange) {
    if core.isForked { return recordFailure(core.forkError) }
    // The earlier writes, some of them removed, released after the locks (A11).
    var displaced: [[HashedKey: CachedValue]] = []
    defer { withExtendedLifetime(displaced) {} }
    let removals = PrefixRangeSet([removal])
    let acceptance: Acceptance = shards.withAll { locked in
      var isClosed = false
      locked.forEachShard { isClosed = isClosed || $0.isClosed }
      if isClosed { return .refused }
      locked.forEachShard { displaced.append($0.pending.remove(removals)) }
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

  /// The outcome of a plain write.
  private enum Acceptance {
    case refused, waits
    /// The first queued write: its commit must be scheduled, outside the lock, as that may start a thread.
    case isFirst
  }

  @inline(__always)
  private func markPending() -> Acceptance {
    if !hasNewWrites.load(ordering: .relaxed) { hasNewWrites.store(true, ordering: .relaxed) }
    return uncommitted.queue() ? .isFirst : .waits
  }

  /// Schedules a flush unless one is due. A due flush includes all writes queued before it runs.
  func scheduleFlush() {
    // Sequentially consistent, as in the flush: either the flush sees this write, or this thread sees that the flush is
    // over.
    if isFlushScheduled.exchange(true, ordering: .sequentiallyConsistent) { return }
    hasNewWrites.store(false, ordering: .relaxed)
    flush(whenQuietAfter: 1)
  }

  private func flush(whenQuietAfter round: Int) {
    TimerQueue.run(after: Self.batchingDelay) { [core] in
      let store = DictionaryStore.of(core)
      let isBusy = store.hasNewWrites.exchange(false, ordering: .relaxed)
      if isBusy, round < Self.longestGathering, core.isOpen { return store.flush(whenQuietAfter: round + 1) }
      _ = store.isFlushScheduled.exchange(false, ordering: .sequentiallyConsistent)
      if store.uncommitted.areQueued, core.isOpen {
        core.pipeline.flushInBackground()
      }
    }
  }

  // MARK: Waiting

  /// Blocks the calling thread until all earlier plain writes are in the file.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``: the first failure of a plain write since the last call, or the failure of
  ///   the flush; `.wouldDeadlock` in a transaction's closure or an encoder, `.forked` in a forked child.
  func synchronize() throws {
    try core.traced(.synchronize) { _ in
      if core.isForked { throw core.forkError }
      if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
      let result = Result { if uncommitted.areAny { try core.pipeline.flushAndWait() } }
      try throwFailure(result)
    }
  }

  func flush() async throws {
    try await core.traced(.synchronize) { _ in try throwFailure(try await flushResult()) }
  }

  /// Returns when all earlier plain writes are in the file, or have failed. Leaves their failures to `synchronize()` of
  /// those that wrote.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError``: the failure of the flush; `.wouldDeadlock` and `.forked` as above.
  func waitForPlainWrites() async throws {
    try await core.traced(.synchronize) { _ in try await flushResult().get() }
  }

  private func flushResult() async throws -> Result<Void, any Error> {
    if core.isForked { throw core.forkError }
    if ThreadContext.mustNotWait(for: core) { throw core.nestedError }
    guard uncommitted.areAny else { return .success(()) }
    return await withCheckedContinuation { continuation in
      core.pipeline.flushLater(completion: .waking { continuation.resume(returning: $0) })
    }
  }

  /// Throws the failure of a plain write, if any: it says more than that of the flush.
  func throwFailure(_ flush: Result<Void, any Error>) throws {
    if let failure = takeFailure() { throw failure }
    try flush.get()
  }
}
