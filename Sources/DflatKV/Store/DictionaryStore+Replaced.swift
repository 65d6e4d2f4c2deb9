import DflatCore
import DflatSQLite

/// A transaction's changes of the list of replaced values.
final class StagedReplacements: UndoableState {
  /// The keys whose current values are kept aside, because the transaction restores others.
  fileprivate(set) var restored: Set<HashedKey> = []
  /// True if the transaction has removed values from the list, which its connection already shows.
  fileprivate(set) var hasRemoved = false

  func undoPoint() -> () -> Void {
    let (restored, hasRemoved) = (restored, hasRemoved)
    return { [self] in
      self.restored = restored
      self.hasRemoved = hasRemoved
    }
  }
}

/// The values that a group keeps aside.
private final class GroupReplacements {
  /// The position of the newest one.
  var position = 0
  /// The number of values, and their bytes, since the list was last trimmed.
  var untrimmed = (count: 0, bytes: 0)
  /// The marks of the keys that were written, also by members that were undone.
  var marks: [(key: HashedKey, mark: UInt64)] = []
  /// The unreadable values that were too large to be kept, also those of members that were undone.
  var unkept: [(key: HashedKey, bytes: Int)] = []
}

extension Group {
  fileprivate var replacements: GroupReplacements { states.state(orAdding: GroupReplacements()) }
}

/// Keeps aside values that are replaced by writes whose types could not read them, and restores them.
extension DictionaryStore {
  // MARK: Reads that fail

  /// Marks a key whose read found a value that its type can't read.
  func noteUnreadable(_ error: any Error, _ key: HashedKey) {
    guard let error = error as? WorkspaceError else { return }
    switch error.code {
    case .typeMismatch, .undecodable, .schemaVersionMismatch: unreadable.insert(key)
    // A row whose value isn't of its type. Damage that SQLite reports is not about a value.
    case .corrupt where error.sqlite == nil: unreadable.insert(key)
    default: break
    }
  }

  // MARK: Writes

  /// Replaces the value of a row, and keeps the old one aside.
  ///
  /// - Parameters:
  ///   - name: The name of the key's namespace.
  ///   - isUnreadable: True if a read couldn't read the old value.
  func replace(
    with value: CachedValue, for key: HashedKey, in name: String, keepingOldIn group: Group, isUnreadable: Bool
  ) throws {
    let connection = group.connection
    let replacements = group.replacements
    guard let bytes = try ReplacedTable.size(of: key.string, in: name, on: connection) else {
      return try DictionaryTable.replace(
        with: value, for: key.string, in: name, at: group.commitNumber, on: connection)
    }
    let isKept = bytes <= ReplacedTable.maximumValueBytes
    replacements.position += 1
    let id = ReplacedValue.ID(commitNumber: group.commitNumber, position: replacements.position)
    if isKept { try ReplacedTable.keep(key.string, in: name, ofSize: bytes, as: id, on: connection) }
    do {
      try DictionaryTable.replace(with: value, for: key.string, in: name, at: group.commitNumber, on: connection)
    } catch let error as SQLiteError where error.isTooBig {
      // The row stays as it is: nothing was replaced.
      if isKept { try ReplacedTable.remove(id, on: connection) }
      throw error
    }
    guard isKept else {
      if isUnreadable { replacements.unkept.append((key, bytes)) }
      return
    }
    replacements.untrimmed.count += 1
    replacements.untrimmed.bytes += bytes
    // Trim a large group in steps, so that the file doesn't grow by all that the group replaces.
    if replacements.untrimmed.count >= 256 || replacements.untrimmed.bytes >= ReplacedTable.maximumBytes {
      try trimReplaced(in: group)
    }
  }

  /// Notes that a member has written a marked key.
  func noteWrite(of key: HashedKey, marked mark: UInt64, in group: Group) {
    group.replacements.marks.append((key, mark))
  }

  /// Trims the list if the group has kept any value.
  func trimReplaced(in group: Group) throws {
    guard let replacements = group.states[GroupReplacements.self], replacements.untrimmed.count > 0 else { return }
    try ReplacedTable.trim(on: group.connection)
    replacements.untrimmed = (0, 0)
  }

  /// Removes the marks of the values that the group has replaced, and reports those that it could not keep. Runs after
  /// the COMMIT, under the publication lock.
  func publishReplacements(of group: Group) {
    guard let replacements = group.states[GroupReplacements.self] else { return }
    // The group's changes don't include those of members that were undone.
    for (key, mark) in replacements.marks where group.changedValue(of: key) != nil { unreadable.remove(mark, of: key) }
    for (key, bytes) in replacements.unkept where group.changedValue(of: key) != nil {
      let error = WorkspaceError(
        .tooLarge,
        "The value that was replaced could not be read, and its \(bytes) bytes are more than the "
          + "\(ReplacedTable.maximumValueBytes) up to which such values are kept; restore a backup to get it back.")
      core.report(error.about(key: key.string, namespace: name(of: key), path: core.path))
    }
  }

  // MARK: The list

  /// Puts a value back in its key, and removes it from the list. Keeps the key's current value aside. Returns false if
  /// there is no such value.
  ///
  /// - Throws: ``WorkspaceError`` with code `.undecodable` or `.corrupt` if this version can't read the value, or with code
  ///   `.tooLarge` if the current one can't be kept. Neither fails the transaction.
  func restoreReplaced(_ id: ReplacedValue.ID, in transaction: TransactionContext) throws -> Bool {
    guard let found = try using(transaction, { try ReplacedTable.value(id, on: $0) }) else { return false }
    let value: CachedValue
    switch found.stored {
    case .success(let readable): value = readable
    case .failure(let error): throw error.about(key: found.key, namespace: found.namespace, path: core.path)
    }
    try requireRoom(forOldOf: found.key, in: found.namespace, in: transaction)
    let use = NamespaceReference(found.namespace, in: namespaces)
    let key = HashedKey(found.key, namespace: use.number)
    try stage(.set(key, value), in: transaction)
    transaction.staged.state(orAdding: StagedReplacements()).restored.insert(key)
    _ = try removeReplaced([id], in: transaction)
    // The staged change keeps the namespace from now on.
    return withExtendedLifetime(use) { true }
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
    var count = 0
    try using(transaction) { connection in
      for id in ids where try ReplacedTable.remove(id, on: connection) { count += 1 }
    }
    if count > 0 { transaction.staged.state(orAdding: StagedReplacements()).hasRemoved = true }
    return count
  }

  /// Runs statements in a transaction, which fails if SQLite does.
  private func using<T>(_ transaction: TransactionContext, _ body: (Connection) throws -> T) throws -> T {
    let group = try transaction.joinedGroup()
    do { return try transaction.reading { try group.reading(body) } } catch let error as SQLiteError {
      throw WorkspaceError(error, path: core.path, doing: "Using")
    }
  }
}
