import DflatCore
import DflatSQLite

/// A transaction's changes of the list of replaced values.
final class StagedReplacements: UndoableState {
  /// A value that a transaction puts back.
  struct Restoration {
    let id: ReplacedValue.ID
    let value: CachedValue
    /// Keeps the namespace of the key.
    let namespace: NamespaceReference
  }

  /// The latest restoration of each key.
  fileprivate(set) var restorations: [HashedKey: Restoration] = [:]
  /// The values that the transaction has removed from the list, which its connection already shows.
  fileprivate(set) var removed: Set<ReplacedValue.ID> = []
  /// True if the transaction has sealed values of the list, which its connection already shows.
  fileprivate(set) var hasSealed = false
  /// The values that the transaction kept aside when it was applied.
  fileprivate(set) var applied = MemberReplacements()

  func undoPoint() -> () -> Void {
    let (restorations, removed, hasSealed) = (restorations, removed, hasSealed)
    return { [self] in
      self.restorations = restorations
      self.removed = removed
      self.hasSealed = hasSealed
    }
  }

  /// Returns the restorations that no later change of the transaction has overtaken.
  func restorationsInEffect(after changes: ChangeList) -> [HashedKey: Restoration] {
    // A value that the key had anyway was not staged.
    restorations.filter { changes.value(of: $0.key)?.isIdentical(to: $0.value.value) ?? true }
  }
}

/// The values that a member of a group, or a batch of plain writes, has kept aside. The group takes them over unless
/// the member is undone.
struct MemberReplacements {
  /// The writes of marked keys, and whether they replaced the row's value or removed it.
  fileprivate var writes: [(key: HashedKey, mark: UnreadableKeys.Mark, hasReplaced: Bool)] = []
  /// The unreadable values that were kept aside with a high priority.
  fileprivate var kept: [(key: HashedKey, id: ReplacedValue.ID)] = []
  /// The unreadable values that were too large to be kept.
  fileprivate var unkept: [(key: HashedKey, bytes: Int)] = []

  init() {}

  fileprivate var isEmpty: Bool { writes.isEmpty && kept.isEmpty && unkept.isEmpty }

  /// Notes a write of a key, which may be marked.
  mutating func noteWrite(of key: HashedKey, marked mark: UnreadableKeys.Mark?, hasReplaced: Bool) {
    if let mark { writes.append((key, mark, hasReplaced)) }
  }
}

/// The values that a group keeps aside.
private final class GroupReplacements {
  /// The position of the newest one. Those of undone members are not given again.
  var position = 0
  /// True if any value was kept, also by a member that was undone: that undid its trimming of other members' values,
  /// too.
  var hasKept = false
  /// The number of values, and their bytes, since the list was last trimmed.
  var untrimmed = (count: 0, bytes: 0)
  /// The values that the members have kept, without the undone ones.
  var members: [MemberReplacements] = []
  /// The marks of the keys whose marked values the members have replaced.
  var ended: [HashedKey: UnreadableKeys.Mark] = [:]
  /// The keys of the unreadable values that the group kept, and that exceeded the limits.
  var dropped: [HashedKey] = []
}

extension Group {
  fileprivate var replacements: GroupReplacements { states.state(orAdding: GroupReplacements()) }

  /// Returns true if an earlier member has replaced the value that a key is marked for.
  func hasReplaced(_ key: HashedKey, marked mark: UnreadableKeys.Mark) -> Bool {
    states[GroupReplacements.self]?.ended[key]?.hasSameRead(ofRow: mark) ?? false
  }
}

/// Keeps aside values that are replaced by writes whose types could not read them, and restores them.
extension DictionaryStore {
  // MARK: Reads that fail

  /// Marks a key whose read found a value that its type can't read.
  ///
  /// - Parameter isCommitted: True if the value was a committed one, wherever this thread's other reads find theirs.
  func noteUnreadable(_ error: any Error, _ key: HashedKey, isCommitted: Bool = false) {
    guard let error = error as? WorkspaceError else { return }
    switch error.code {
    case .typeMismatch, .undecodable, .schemaVersionMismatch: break
    case .sealed, .notSealed, .wrongSealKey, .sealBroken: break
    // Only a newer program can read the schema of the value's type.
    case .newerFormat: break
    // A row whose value isn't of its type. Damage that SQLite reports is not about a value.
    case .corrupt where error.sqlite == nil: break
    default: return
    }
    let isMismatch = error.code == .typeMismatch
    if isCommitted { return unreadable.insert(key, in: .row, isMismatch: isMismatch) }
    switch ThreadContext.reading(core) {
    case .transaction(let transaction):
      let isStaged = transaction.staged[ChangeList.self]?.value(of: key) != nil
      unreadable.insert(key, in: isStaged ? .waiting : .row, isMismatch: isMismatch)
    case .snapshot: unreadable.insert(key, in: .row, isMismatch: isMismatch)
    case .callback, .worker, .encoding, nil:
      shards.withShard(of: key) { shard in
        let place: UnreadableKeys.Place =
          shard.pending.value(of: key) != nil ? .waiting : shard.flushing.value(of: key) != nil ? .either : .row
        unreadable.insert(key, in: place, isMismatch: isMismatch)
      }
    }
  }

  // MARK: Writes

  /// Keeps a row's value aside, and runs `change`, which replaces or removes the row.
  ///
  /// - Parameters:
  ///   - name: The name of the key's namespace.
  ///   - isUnreadable: True if a read couldn't read the value.
  func keepingOld<T>(
    of key: HashedKey, in name: String, isUnreadable: Bool, _ priority: ReplacedTable.Priority, in group: Group,
    noting member: inout MemberReplacements, _ change: () throws -> T
  ) throws -> T {
    let connection = group.connection
    guard let bytes = try ReplacedTable.size(of: key.string, in: name, on: connection) else { return try change() }
    guard bytes <= ReplacedTable.maximumValueBytes else {
      let result = try change()
      if isUnreadable { member.unkept.append((key, bytes)) }
      return result
    }
    let replacements = group.replacements
    replacements.position += 1
    replacements.hasKept = true
    let id = ReplacedValue.ID(commitNumber: group.commitNumber, position: replacements.position)
    try ReplacedTable.keep(key.string, in: name, ofSize: bytes, as: id, priority, on: connection)
    let result: T
    do { result = try change() } catch let error as SQLiteError where error.isTooBig {
      // The row stays as it is: nothing was replaced.
      try ReplacedTable.remove(id, on: connection)
      throw error
    }
    if isUnreadable, priority == .high { member.kept.append((key, id)) }
    replacements.untrimmed.count += 1
    replacements.untrimmed.bytes += bytes
    // Trim a large group in steps, so that the file doesn't grow by all that the group replaces.
    if replacements.untrimmed.count >= 256 || replacements.untrimmed.bytes >= ReplacedTable.maximumBytes {
      try trimReplaced(in: group)
    }
    return result
  }

  private func trimReplaced(in group: Group) throws {
    let replacements = group.replacements
    try ReplacedTable.trim(
      upTo: ReplacedValue.ID(commitNumber: group.commitNumber, position: replacements.position), on: group.connection)
    replacements.untrimmed = (0, 0)
  }

  /// Removes the values from the list that a transaction has put back.
  func removeRestored(
    _ restorations: [HashedKey: StagedReplacements.Restoration], of staged: StagedReplacements, in group: Group
  ) throws {
    for restoration in restorations.values where try ReplacedTable.remove(restoration.id, on: group.connection) {
      staged.removed.insert(restoration.id)
    }
  }

  /// Notes what a transaction has kept aside, until the group takes it over.
  func stage(_ member: MemberReplacements, in transaction: TransactionContext) {
    if !member.isEmpty { transaction.staged.state(orAdding: StagedReplacements()).applied = member }
  }

  /// Takes over what a transaction has kept aside, and its changes of the list.
  func mergeReplacements(of transaction: TransactionContext, into group: Group) {
    guard let staged = transaction.staged[StagedReplacements.self] else { return }
    if staged.hasSealed { group.hasChanges = true }
    if !staged.removed.isEmpty {
      group.hasChanges = true
      // A removed value is not missed.
      if let members = group.states[GroupReplacements.self] {
        for index in members.members.indices {
          members.members[index].kept.removeAll { staged.removed.contains($0.id) }
        }
      }
    }
    merge(staged.applied, into: group)
  }

  /// Takes over what a member has kept aside.
  func merge(_ member: MemberReplacements, into group: Group) {
    if member.isEmpty { return }
    let replacements = group.replacements
    replacements.members.append(member)
    for (key, mark, hasReplaced) in member.writes where hasReplaced { replacements.ended[key] = mark }
    noteWrites(of: member)
  }

  /// Lets the marks of values that a member has written apply to their rows.
  private func noteWrites(of member: MemberReplacements) {
    for (key, _, _) in member.writes {
      shards.withShard(of: key) {
        unreadable.noteWrite(of: key, whileAnotherWaits: $0.pending.value(of: key) != nil)
      }
    }
  }

  /// Trims the list if the group may have kept any value.
  func finishReplacements(of group: Group) throws {
    guard let replacements = group.states[GroupReplacements.self], replacements.hasKept else { return }
    try trimReplaced(in: group)
    let kept = replacements.members.flatMap(\.kept)
    if kept.isEmpty { return }
    let left = try ReplacedTable.positions(ofCommit: group.commitNumber, on: group.connection)
    replacements.dropped = kept.filter { !left.contains($0.id.position) }.map { $0.key }
  }

  /// Removes the marks of the values that the group has replaced, and reports those that it could not keep. Runs after
  /// the COMMIT, under the publication lock, once the overlay no longer has the group's plain writes.
  func publishReplacements(of group: Group) {
    guard let replacements = group.states[GroupReplacements.self] else { return }
    for member in replacements.members {
      for (key, mark, hasReplaced) in member.writes where hasReplaced { unreadable.remove(mark, of: key) }
      noteWrites(of: member)
      for (key, bytes) in member.unkept {
        reportUnkept(
          key,
          "The value that was replaced or removed could not be read, and its \(bytes) bytes are more than the "
            + "\(ReplacedTable.maximumValueBytes) up to which such values are kept; restore a backup to get it back.")
      }
    }
    guard let key = replacements.dropped.first else { return }
    let others = replacements.dropped.count - 1
    reportUnkept(
      key,
      "The value that was replaced or removed could not be read, and is not kept, because its commit replaced more values "
        + "than a file keeps; restore a backup to get it back."
        + (others == 0 ? "" : " The same is true of \(others) other values."))
  }

  private func reportUnkept(_ key: HashedKey, _ message: String) {
    core.report(WorkspaceError(.tooLarge, message).about(key: key.string, namespace: name(of: key), path: core.path))
  }

  // MARK: The list

  /// Puts a value back in its key, and removes it from the list when the transaction is applied, unless the transaction
  /// changes the key again. Keeps the key's current value aside. Returns false if there is no such value.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` or `.corrupt` if this version can't read the
  ///   value, or with code `.tooLarge` if the current one can't be kept. Neither fails the transaction.
  func restoreReplaced(_ id: ReplacedValue.ID, in transaction: TransactionContext) throws -> Bool {
    let isRestored = restoredReplacements(in: transaction).contains(id)
    guard let found = try using(transaction, { try ReplacedTable.value(id, on: $0) }), !isRestored else { return false }
    let value: CachedValue
    switch found.stored {
    case .success(let readable): value = readable
    case .failure(let error): throw error.about(key: found.key, namespace: found.namespace, path: core.path)
    }
    try requireRoom(forOldOf: found.key, in: found.namespace, in: transaction)
    let use = NamespaceReference(found.namespace, in: namespaces)
    let key = HashedKey(found.key, namespace: use.number)
    try stage(.set(key, value), in: transaction)
    transaction.staged.state(orAdding: StagedReplacements()).restorations[key] =
      StagedReplacements.Restoration(id: id, value: value, namespace: use)
    return true
  }

  /// Returns the values that a transaction puts back, which are still in its connection's list.
  private func restoredReplacements(in transaction: TransactionContext) -> Set<ReplacedValue.ID> {
    guard let staged = transaction.staged[StagedReplacements.self] else { return [] }
    return Set(staged.restorationsInEffect(after: transaction.changes(of: self)).values.map(\.id))
  }

  /// Returns the values of one namespace, or of all, newest first, as this thread's transaction leaves the list.
  func replacedValues(of namespace: String?) throws -> [ReplacedValue] {
    let values = try withConnection { try ReplacedTable.values(of: namespace, on: $0) } ?? []
    guard case .transaction(let transaction)? = ThreadContext.reading(core) else { return values }
    let restored = restoredReplacements(in: transaction)
    return values.filter { !restored.contains($0.id) }
  }

  /// Throws `.tooLarge` if the current value of a key can't be kept aside.
  private func requireRoom(
    forOldOf key: String, in namespace: String, in transaction: TransactionContext
  ) throws {
    let size = try using(transaction) { try ReplacedTable.size(of: key, in: namespace, on: $0) }
    guard let size, size > ReplacedTable.maximumValueBytes else { return }
    throw WorkspaceError(
      .tooLarge,
      "The current value's \(size) bytes are more than the \(ReplacedTable.maximumValueBytes) up to which values are kept "
        + "aside; remove the key before you restore another value."
    ).about(key: key, namespace: namespace, path: core.path)
  }

  /// Removes values from the list, at once. Returns their number.
  func removeReplaced(_ ids: [ReplacedValue.ID], in transaction: TransactionContext) throws -> Int {
    let restored = restoredReplacements(in: transaction)
    var removed: Set<ReplacedValue.ID> = []
    try using(transaction) { connection in
      for id in ids where !restored.contains(id) {
        if try ReplacedTable.remove(id, on: connection) { removed.insert(id) }
      }
    }
    if !removed.isEmpty { transaction.staged.state(orAdding: StagedReplacements()).removed.formUnion(removed) }
    return removed.count
  }

  /// Replaces the values of a namespace in the list by what `sealed` returns; nil leaves one as it is.
  func sealReplaced(
    of namespace: String, in transaction: TransactionContext,
    _ sealed: (_ key: String, _ value: CachedValue) throws -> CachedValue?
  ) throws {
    try using(transaction) { connection in
      for replaced in try ReplacedTable.values(of: namespace, on: connection) {
        guard let value = try? replaced.stored.get(), let new = try sealed(replaced.key, value) else { continue }
        try ReplacedTable.update(replaced, to: new, on: connection)
        transaction.staged.state(orAdding: StagedReplacements()).hasSealed = true
      }
    }
  }

  /// Runs statements in a transaction, which fails if SQLite does.
  private func using<T>(_ transaction: TransactionContext, _ body: (Connection) throws -> T) throws -> T {
    let group = try transaction.joinedGroup()
    do { return try transaction.reading { try group.reading(body) } } catch let error as SQLiteError {
      throw WorkspaceError(error, path: core.path, doing: "Using")
    }
  }
}
