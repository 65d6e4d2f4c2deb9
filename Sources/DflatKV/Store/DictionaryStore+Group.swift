import DflatCore
import DflatSQLite

extension TransactionContext {
  /// Returns the dictionary changes that this transaction has staged.
  func changes(of store: DictionaryStore) -> ChangeList {
    staged.state(orAdding: ChangeList(namespaces: store.namespaces))
  }
}

extension Group {
  /// Returns the dictionary changes that this group has written to the file and not committed.
  func changes(of store: DictionaryStore) -> ChangeList { dictionary(of: store).changes }

  /// Returns the value that the group has written for a key, or nil if it hasn't changed the key.
  func changedValue(of key: HashedKey) -> CachedValue? {
    states[DictionaryGroup.self]?.changes.value(of: key)
  }

  /// Notes the instant at which a value expires that the group has written.
  func noteWritten(_ expiration: Expiration, by store: DictionaryStore) {
    let state = dictionary(of: store)
    state.firstExpiration = min(state.firstExpiration ?? expiration, expiration)
  }

  fileprivate func dictionary(of store: DictionaryStore) -> DictionaryGroup {
    states.state(orAdding: DictionaryGroup(namespaces: store.namespaces))
  }
}

/// The dictionary's state for one group.
private final class DictionaryGroup {
  let changes: ChangeList
  private var ends: [Int] = []
  /// True if readers must see all changes at once: those of a transaction (A1), or a prefix removal with the writes
  /// after it.
  private(set) var publishesAtomically = false
  /// The number of plain writes in this group, for the error if it fails.
  var plainWrites = 0
  /// The earliest instant at which a value expires that the group has written. Its removal is scheduled once the value is
  /// committed: a removal before that finds nothing.
  var firstExpiration: Expiration?
  /// The plain writes of the group, and the values that it displaced in the cache. They leave the shards under locks,
  /// and are released with the group (A11).
  var displaced = DisplacedValues()

  init(namespaces: NamespaceTable) { changes = ChangeList(namespaces: namespaces) }

  func append(_ member: [Operation], ofTransaction: Bool) {
    changes.append(contentsOf: member)
    ends.append(changes.operations.count)
    publishesAtomically = publishesAtomically || ofTransaction || member[...].holdsPrefixRemoval
  }

  /// The changes of each member, in order.
  var members: [MemberChanges] { zip([0] + ends, ends).map { changes.operations[$0..<$1] } }
}

extension DictionaryStore: Participant {
  static var recordKind: UInt8 { ChangeRecord.kind }

  var hasPendingWrites: Bool { uncommitted.areQueued }

  // MARK: Plain writes into the group

  func drain(into group: Group) throws {
    let state = group.dictionary(of: self)
    let taken = takePendingWrites()
    state.displaced.keep(taken.operations)
    let (batch, unencodable) = encode(taken.operations)
    var failed = unencodable
    state.plainWrites += batch.count
    // Also if an error fails the whole group: what can't be encoded is not in its batch, and nobody else reports it
    // (A7).
    defer { fail(failed, of: taken) }
    // Without a savepoint: an error fails the group. A value that is too large is refused before any of it is written.
    var replacements = MemberReplacements()
    let written = try apply(
      WriteOrder.sorted(batch), rewriting: taken.rewritten, to: group, noting: &replacements
    ) { key, error in
      failed.append((key, .wrapping(error, path: core.path, doing: "Writing to")))
    }
    merge(replacements, into: group)
    merge(written, into: group, ofTransaction: false)
  }

  /// Records the failures of single plain writes. Plain reads see the group's earlier plain write again, or the
  /// committed value (A5): what its transactions have written isn't committed (A2).
  private func fail(_ writes: [(HashedKey, WorkspaceError)], of taken: TakenWrites) {
    for (key, error) in writes {
      // Build the error while the overlay still keeps the namespace's name.
      let failure = error.about(key: key.string, namespace: name(of: key), path: core.path)
      shards.withShard(of: key) { $0.flushing.restore(taken.replaced[key], for: key) }
      recordFailure(failure)
    }
  }

  /// Encodes deferred values, holding the write token but no shard lock (A11). Leaves out values that can't be encoded.
  private func encode(_ batch: [Operation]) -> (encoded: [Operation], failed: [(HashedKey, WorkspaceError)]) {
    guard batch.contains(where: \.isDeferred) else { return (batch, []) }
    return ThreadContext.with(core, .encoding) {
      var failed: [(HashedKey, WorkspaceError)] = []
      let encoded = batch.compactMap { operation -> Operation? in
        guard case .set(let key, let value) = operation, case .deferred = value else { return operation }
        do { return .set(key, try value.encoded()) } catch {
          failed.append((key, .wrapping(error, path: core.path, doing: "Writing to")))
          return nil
        }
      }
      return (encoded, failed)
    }
  }

  /// The plain writes that a group takes at one instant.
  private struct TakenWrites {
    /// Prefix removals first: the remaining writes came after them.
    var operations: [Operation] = []
    /// The keys that are removed alone before they are set.
    var rewritten: Set<HashedKey> = []
    /// The values in the flushing overlay that these writes replace: earlier plain writes of the group.
    var replaced: [HashedKey: CachedValue] = [:]
  }

  /// Takes all plain writes accepted up to one instant.
  private func takePendingWrites() -> TakenWrites {
    shards.withAll { locked in
      uncommitted.take()
      var taken = TakenWrites()
      var total = 0
      locked.forEachShard { total += $0.pending.values.count }
      taken.operations.reserveCapacity(total + 1)
      // Each shard has all removals, so take them from one.
      var removals = PrefixRangeSet()
      locked.forEachShard { shard in
        if removals.isEmpty { removals = shard.pending.removals }
        shard.flushing.remove(shard.pending.removals)
      }
      for removal in removals.ranges { taken.operations.append(.removePrefix(removal)) }
      locked.forEachShard { shard in
        for (key, value) in shard.pending.values { taken.operations.append(.set(key, value)) }
        if !shard.pending.rewritten.isEmpty { taken.rewritten.formUnion(shard.pending.rewritten) }
        let replaced = shard.flushing.add(shard.pending)
        if !replaced.isEmpty { taken.replaced.merge(replaced) { $1 } }
        shard.pending = Shard.Overlay()
      }
      return taken
    }
  }

  func failPendingWrites(because error: WorkspaceError) {
    // The values are released in this context, after the shards' locks (A11).
    ThreadContext.with(core, .encoding) {
      let taken = takePendingWrites()
      let count = taken.operations.count
      // Record the failure first: a `synchronize()` that finds no more writes in the overlay must find the failure.
      if count > 0 { recordFailure(plainFailure(error, count: count)) }
      dropFlushing()
      withExtendedLifetime(taken) {}
    }
  }

  private func plainFailure(_ error: WorkspaceError, count: Int) -> WorkspaceError {
    WorkspaceError(
      error.code, "\(count) plain dictionary write\(count == 1 ? "" : "s") to '\(core.path)' failed: \(error.message)",
      path: core.path, sqlite: error.sqlite, underlying: error.underlying)
  }

  // MARK: Transactions into the group

  func apply(_ transaction: TransactionContext, to group: Group) throws {
    guard let changes = transaction.staged[ChangeList.self] else { return }
    let staged = transaction.staged[StagedReplacements.self]
    let restorations = staged?.restorationsInEffect(after: changes) ?? [:]
    var replacements = MemberReplacements()
    func refuse(_ key: HashedKey, _ error: any Error) throws {
      throw WorkspaceError.wrapping(error, path: core.path, doing: "Writing to")
        .about(key: key.string, namespace: name(of: key), path: core.path)
    }
    func apply(_ net: [Operation], of part: ArraySlice<Operation>, comparesInMemory: Bool) throws -> [Operation] {
      try self.apply(
        net, of: part, comparesInMemory: comparesInMemory, to: group, restoring: restorations, noting: &replacements,
        refusing: refuse)
    }
    let written =
      try changes.isDivided
      ? applyInParts(changes) { try apply(ChangeList.net(of: $0), of: $0, comparesInMemory: $1) }
      : apply(changes.net, of: changes.operations[...], comparesInMemory: true)
    if let staged { try removeRestored(restorations, of: staged, in: group) }
    stage(replacements, in: transaction)
    changes.replaceAll(with: written)
  }

  /// Applies changes that follow a rotation of a seal key once its values are in the file, with which they are compared.
  /// Returns what the parts change together.
  private func applyInParts(
    _ changes: ChangeList, _ apply: (_ part: ArraySlice<Operation>, _ comparesInMemory: Bool) throws -> [Operation]
  ) throws -> [Operation] {
    var written: [Operation] = []
    var keys: Set<HashedKey> = []
    for part in changes.parts {
      // The values in memory are those from before the first part.
      let changed = try apply(part, written.isEmpty)
      for operation in changed {
        // A value that a later part keeps may be one that an earlier part has written.
        if case .keep(let key, let value?) = operation, keys.contains(key) {
          written.append(.set(key, value))
        } else {
          written.append(operation)
        }
      }
      for case .set(let key, _) in changed { keys.insert(key) }
    }
    return ChangeList.net(of: written[...])
  }

  func merge(_ transaction: TransactionContext, into group: Group) {
    merge(transaction.changes(of: self).operations, into: group, ofTransaction: true)
    mergeReplacements(of: transaction, into: group)
  }

  private func merge(_ written: [Operation], into group: Group, ofTransaction: Bool) {
    guard !written.isEmpty else { return }
    group.dictionary(of: self).append(written, ofTransaction: ofTransaction)
    group.hasChanges = true
  }

  /// Returns false: a transaction takes the write token before its first read of the dictionary.
  func hasExternalChanges(since commitNumber: UInt64, for transaction: TransactionContext) -> Bool { false }

  func finish(_ group: Group) throws { try finishReplacements(of: group) }

  /// Does nothing: the written values are in memory.
  func prepare(_ group: Group) {}

  func changeRecord(for group: Group) -> [UInt8]? {
    let members = group.dictionary(of: self).members
    return members.isEmpty ? nil : ChangeRecord.encode(members, names: namespaces.name)
  }

  // MARK: Outcome

  func publish(_ group: Group) -> [Delivery] {
    let state = group.dictionary(of: self)
    var events = PublicationChanges(store: self, commitNumber: group.commitNumber)
    // A reader sees either none or all of these changes (A1).
    if state.publishesAtomically {
      shards.withAll { locked in
        for member in state.members { events.move(locked, member, keepsUnknown: true) }
        locked.forEachShard { $0.finishPublishing(limit: limit, displacing: &events.displaced) }
      }
    } else {
      // The overlay already shows these single writes, so publish them one by one.
      for case .set(let key, let value) in state.changes.operations {
        shards.withShard(of: key) { events.move(&$0, key, to: value, keepsUnknown: true) }
      }
      for index in 0..<ShardTable.count {
        shards.withShard(at: index) { $0.finishPublishing(limit: limit, displacing: &events.displaced) }
      }
    }
    state.displaced.keep(events.displaced)
    publishReplacements(of: group)
    if let expiration = state.firstExpiration { noteOwn(expiration) }
    uncommitted.end()
    let members = state.members
    var deliveries = events.deliveries(after: members)
    deliveries += trackedReads.deliveries(after: members)
    if let delivery = catchUpDelivery { deliveries.append(delivery) }
    return deliveries
  }

  func conclude(_ group: Group) { dropFlushing() }

  func discard(_ group: Group, because error: WorkspaceError) {
    let count = group.dictionary(of: self).plainWrites
    if count > 0 { recordFailure(plainFailure(error, count: count)) }
    dropFlushing()
  }

  func requeue(_ group: Group, because error: WorkspaceError) {
    // The values that later writes replace, released after the locks (A11).
    var displaced: [[HashedKey: CachedValue]] = []
    defer { withExtendedLifetime(displaced) {} }
    let isFirst = shards.withAll { locked in
      locked.forEachShard { shard in
        var earlier = shard.flushing
        displaced.append(earlier.values)
        // In order: the group's removals and writes, and then those that came meanwhile.
        earlier.remove(shard.pending.removals)
        _ = earlier.add(shard.pending)
        shard.pending = earlier
        shard.flushing = Shard.Overlay()
      }
      var hasWrites = false
      locked.forEachShard { hasWrites = hasWrites || !$0.pending.isEmpty }
      return uncommitted.requeue(hasWrites)
    }
    if isFirst { scheduleFlush() }
  }

  /// Drops the flushing overlay. The caller keeps its values until the locks are released.
  private func dropFlushing() {
    shards.withAll { locked in locked.forEachShard { $0.flushing = Shard.Overlay() } }
    uncommitted.end()
  }

  /// A snapshot may be older than the store. What it loads must not be cached: no entry shows that the key has changed
  /// since (A8).
  func begin(after commitNumber: UInt64) {
    for index in 0..<ShardTable.count { shards.withShard(at: index) { $0.oldestCacheableCommit = commitNumber } }
  }

  func stopAcceptingWrites() {
    for index in 0..<ShardTable.count { shards.withShard(at: index) { $0.isClosed = true } }
  }

  /// Also drops the cache, which nothing reads any more: subscriptions that the program keeps hold the workspace.
  func end() {
    // The values, released after the locks (A11).
    var displaced = DisplacedValues()
    defer { withExtendedLifetime(displaced) {} }
    let observers = shards.withAll { locked in
      var all: [Observer] = []
      locked.forEachShard { shard in
        for observers in shard.observers.values { for observer in observers { all.append(observer) } }
        shard.observers = [:]
        shard.unread = [:]
        displaced.keep(shard.committed)
        // A load that began earlier caches nothing any more.
        shard.dropCommitted(at: .max)
      }
      return all
    }
    for observer in observers + prefixObservers.removeAll() as [Observer] { observer.end() }
    trackedReads.removeAll()
    expiry.end()
  }
}

extension Shard.State {
  /// Drops the flushing overlay, whose values are now in `committed` and held by the group, and enforces the cache
  /// limit.
  fileprivate mutating func finishPublishing(
    limit: SQLiteWorkspace.CacheLimit, displacing displaced: inout DisplacedValues
  ) {
    if !flushing.isEmpty { flushing = Shard.Overlay() }
    trim(limit: limit, displacing: &displaced)
  }
}
