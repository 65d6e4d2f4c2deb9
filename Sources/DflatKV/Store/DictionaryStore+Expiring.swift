import DflatCore
import DflatSQLite
import DflatSupport
import Dispatch

/// Values that expire. A reader never gets one that has expired (`CachedValue.visible(at:)`); rows, caches and overlays have
/// it until a transaction of a writing process removes it, which observers receive as `.expired`.
///
/// A transaction and a snapshot have one time, so that what they read is of one instant. Transactions run one after the
/// other, so their times are in the order of their commits, unless the clock is set back.
extension DictionaryStore {
  /// The size in bytes up to which the keys of one transaction's removal go together: more than fits a change record would
  /// make other processes compare all that they know with the file.
  static let expiryBatch = ChangeRecord.capacity * 3 / 4

  // MARK: Reading

  /// The time at which reads on this thread see the dictionary. A transaction waits for its turn first, so that those
  /// before it see no later time.
  func readingTime() throws -> Int64 {
    switch try core.readingRole() {
    case .transaction(let transaction):
      _ = try transaction.joinedGroup()
      return transaction.time.now(by: core.options.wallClock)
    case .snapshot(let snapshot): return snapshot.time.now(by: core.options.wallClock)
    case .callback, .worker, .encoding, nil: return core.options.wallClock.now()
    }
  }

  /// Returns the expired keys of a range, which its rows still have.
  func expiredKeys(
    of range: PrefixRange, named namespace: String, at milliseconds: Int64, on connection: Connection
  ) throws -> Set<HashedKey> {
    var keys: Set<HashedKey> = []
    for found in try ExpiryIndex.expired(at: milliseconds, on: connection)
    where found.namespace.hasSameBytes(as: namespace) {
      let key = HashedKey(found.key, namespace: range.namespace)
      if range.covers(key) { keys.insert(key) }
    }
    return keys
  }

  /// Returns the namespaces with keys that haven't expired.
  func namespaces(on connection: Connection) throws -> [String] {
    let names = try DictionaryTable.namespaces(on: connection)
    var expired: [ByteComparedString: Int] = [:]
    for found in try ExpiryIndex.expired(at: readingTime(), on: connection) {
      expired[ByteComparedString(found.namespace), default: 0] += 1
    }
    if expired.isEmpty { return names }
    return try names.filter { name in
      guard let count = expired[ByteComparedString(name)] else { return true }
      return try DictionaryTable.count(in: name, on: connection) > count
    }
  }

  // MARK: Scheduling

  /// Has expired values removed once a value expires that this process has committed.
  func noteOwn(_ expiration: Expiration) {
    if !writesExpiring.load(ordering: .relaxed) { writesExpiring.store(true, ordering: .relaxed) }
    removeExpired(at: expiration.milliseconds)
  }

  /// Has expired values removed once a value expires that is in the file. A process that never writes such values leaves
  /// that to the others for a while.
  func noteFound(_ expiration: Expiration) {
    let grace = writesExpiring.load(ordering: .relaxed) ? 0 : ExpirySchedule.grace
    removeExpired(at: expiration.milliseconds.addingReportingOverflow(grace).partialValue)
  }

  /// Looks for the next value that expires in the file, at the first call of the workspace.
  ///
  /// - Throws: An error that has ended the view or the write transaction of the connection. Others are reported, and a
  ///   later look follows: the caller's reads don't depend on it.
  @inline(__always)
  func findExpiring(on connection: Connection) throws {
    if !hasFoundExpiring.load(ordering: .relaxed) { try findFirstExpiring(on: connection) }
  }

  @inline(never)
  private func findFirstExpiring(on connection: Connection) throws {
    // An older view may lack a value that was published before anything noted such values.
    if case .snapshot(let snapshot)? = ThreadContext.reading(core), snapshot.commitNumber < core.publishing { return }
    if hasFoundExpiring.exchange(true, ordering: .relaxed) { return }
    do {
      if let next = try ExpiryIndex.next(on: connection) { noteFound(next) }
    } catch {
      let cause = connection.cause(ofFailure: error)
      let wrapped = WorkspaceError.wrapping(cause, path: core.path, doing: "Looking for expired values in")
      if wrapped.code != .corrupt { removeExpired(at: core.options.wallClock.now() + ExpirySchedule.pauseAfterFailure) }
      // After a failure of the disk or of memory SQLite rolls the transaction back. Whatever the caller did next would
      // commit by itself.
      guard connection.isInTransaction, !connection.hasChangedFile else { throw cause }
      core.report(wrapped)
    }
  }

  private func removeExpired(at milliseconds: Int64) {
    // A value whose lifetime has no end is never removed.
    if milliseconds < 0 || milliseconds == .max || core.options.isReadOnly || !core.isOpen { return }
    expiry.want(at: milliseconds, for: core)
  }

  // MARK: Removing

  /// Removes what has expired, unless another process has done so. A look into the file comes first: the write lock, and on a
  /// replica the turn, are one for all processes.
  func removeExpiredIfAny() {
    guard (try? core.beginActivity()) != nil else { return }
    defer { core.endActivity() }
    do {
      try core.checkForCommits()
      let now = core.options.wallClock.now()
      var next: Expiration?
      let isAny = try core.withView { connection, _ in
        if try !ExpiryIndex.expired(at: now, on: connection, while: { _ in false }).isEmpty { return true }
        next = try ExpiryIndex.next(after: now, on: connection)
        return false
      }
      if isAny == true { return removeExpired { _ in } }
      if let next { noteFound(next) }
    } catch let error as WorkspaceError where error.code == .noSuchFile {
      // The values are gone with the file. A removal would create another one.
    } catch {
      // A removal reports the error, if it meets it, too.
      removeExpired { _ in }
    }
  }

  /// Removes values that have expired from the file, in as many transactions as that takes, and schedules the next removal.
  func removeExpired(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    guard (try? core.beginActivity()) != nil else { return completion(.success(())) }
    expiry.beginRemoval()
    let next = Lock<Expiration?>(nil)
    let ended = Completion.waking { [core] result in
      // Leave this thread, which may hold the publication lock.
      TimerQueue.run {
        DictionaryStore.of(core).endRemoval(result.map { next.withLock { $0 } }, completion: completion)
        core.endActivity()
      }
    }
    core.pipeline.maintainLater(completion: ended) { [core] transaction in
      let found = try DictionaryStore.of(core).stageExpired(in: transaction)
      next.withLock { $0 = found }
    }
  }

  /// Goes on after a transaction, with the instant of the next removal.
  private func endRemoval(
    _ result: Result<Expiration?, any Error>, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let now = core.options.wallClock.now()
    let wanted = expiry.endRemoval()
    switch result {
    case .success(let next):
      if let wanted { removeExpired(at: wanted) }
      _ = expiry.note(hasFailed: false)
      if let next, next.milliseconds <= now { return removeExpired(completion: completion) }
      if let next { noteFound(Expiration(milliseconds: max(next.milliseconds, now + ExpirySchedule.pause))) }
    case .failure(let error):
      if expiry.note(hasFailed: true) {
        core.report(.wrapping(error, path: core.path, doing: "Removing expired values from"))
      }
      removeExpired(at: now + ExpirySchedule.pauseAfterFailure)
    }
    completion(result.map { _ in })
  }

  /// Stages the removal of values that have expired. Returns the instant of the next removal.
  private func stageExpired(in transaction: TransactionContext) throws -> Expiration? {
    let group = try transaction.joinedGroup()
    let now = transaction.time.now(by: core.options.wallClock)
    return try group.reading { connection in
      var bytes = 0
      let expired = try ExpiryIndex.expired(at: now, on: connection) { found in
        bytes += found.namespace.utf8.count + found.key.utf8.count + 8
        return bytes <= Self.expiryBatch
      }
      stage(expired, in: transaction)
      return bytes > Self.expiryBatch
        ? Expiration(milliseconds: now) : try ExpiryIndex.next(after: now, on: connection)
    }
  }

  /// Stages the removal of all values of a namespace that have expired.
  func stageExpired(of namespace: String, in transaction: TransactionContext) throws {
    let group = try transaction.joinedGroup()
    let now = transaction.time.now(by: core.options.wallClock)
    try group.reading { connection in
      let expired = try ExpiryIndex.expired(at: now, on: connection)
      stage(expired.filter { $0.namespace.hasSameBytes(as: namespace) }, in: transaction)
    }
  }

  private func stage(_ expired: [ExpiryIndex.Place], in transaction: TransactionContext) {
    var uses = NamespaceReferences(in: namespaces)
    let changes = transaction.changes(of: self)
    for place in expired {
      let key = HashedKey(place.key, namespace: uses.number(place.namespace))
      // The row may be one that the transaction has replaced or removed.
      if changes.value(of: key) == nil { changes.append(.expire(key)) }
    }
  }
}
