import DflatCore
import DflatSQLite

/// Writes changes to a group's SQLite transaction, and determines which of them change anything.
extension DictionaryStore {
  /// Applies the changes of one member: prefix removals, then at most one write of each key. Returns those that change
  /// something, removals first.
  ///
  /// Values known in memory are compared here. For other keys, the SQL statement that writes the row compares, so an
  /// uncached key needs no query of its own, unless its value is a floating-point zero. `refuse` receives each write
  /// whose value is too large for SQLite, or whose schema contradicts the file's; nothing of such a write is in the
  /// file. The first value of a FlatBuffers type that changes anything also stores the type's schema.
  ///
  /// Old values of other kinds are kept aside (`ReplacedValue`), as are those of keys that are marked as unreadable,
  /// and of the keys in `restored`. A prefix removal keeps nothing, even if a key that it covers gets another value.
  ///
  /// A transaction passes the operations whose net changes these are (`staged`), and `comparesInMemory` as false once
  /// it has changed rows. A batch of plain writes has the keys that were removed before they were set (`rewritten`).
  func apply(
    _ operations: [Operation], of staged: ArraySlice<Operation> = [], rewriting rewritten: Set<HashedKey> = [],
    comparesInMemory: Bool = true, to group: Group,
    restoring restored: [HashedKey: StagedReplacements.Restoration] = [:],
    noting member: inout MemberReplacements, refusing refuse: (HashedKey, any Error) throws -> Void
  ) throws -> [Operation] {
    // Usually nothing is restored. To look a key up in an empty dictionary takes its hash all the same.
    func isRestored(_ key: HashedKey) -> Bool { !restored.isEmpty && restored[key] != nil }
    let changes = group.changes(of: self)
    try findExpiring(on: group.connection)
    // Skip the comparison in memory if the group's changes aren't indexed: indexing a batch of plain writes costs more
    // than SQLite's comparison.
    let known =
      comparesInMemory && changes.isIndexed
      ? KnownValues(before: changes.isEmpty ? nil : changes, shards: shards) : nil
    var written: [Operation] = []
    var earlier = EarlierChanges(of: staged, rewriting: rewritten)
    guard operations[...].holdsPrefixRemoval else {
      for operation in operations {
        switch operation {
        case .set(let key, let value):
          let outcome = try write(
            value, for: key, to: group, knowing: known, after: &earlier, isRestored: isRestored(key), noting: &member,
            refusing: refuse)
          if outcome == .changed {
            written.append(.set(key, value.committed))
          } else if outcome == .refused || value.kind != .sealed || !earlier.removes(key) {
            continue
          }
          note(try present(value, for: key, after: outcome, in: group), for: key, in: &earlier)
        case .expire(let key): if try removeExpired(key, in: group, noting: &member) { written.append(operation) }
        case .keep, .removePrefix: continue
        }
      }
      return written
    }
    let removals = operations[...].removals
    earlier.removals = removals
    var returning: [(key: HashedKey, value: CachedValue, isChanged: Bool, removal: Int)] = []
    // Apply the writes first: they are compared with the existing rows, which the removals then spare.
    for operation in operations {
      switch operation {
      case .set(let key, let value):
        let removal = removals.index(covering: key)
        if removal != nil, value.isAbsent { continue }
        let outcome = try write(
          value, for: key, to: group, knowing: known, after: &earlier, isRestored: isRestored(key),
          noting: &member, refusing: refuse)
        if outcome == .changed {
          written.append(.set(key, value.committed))
        } else if outcome == .refused || removal == nil && (value.kind != .sealed || !earlier.removes(key)) {
          continue
        }
        let present = try present(value, for: key, after: outcome, in: group)
        note(present, for: key, in: &earlier)
        if let removal { returning.append((key, present.committed, outcome == .changed, removal)) }
      case .expire(let key):
        if earlier.covers(key) { continue }
        if try removeExpired(key, in: group, noting: &member) { written.append(operation) }
      case .keep, .removePrefix: continue
      }
    }
    // Apply the removals, and drop those that remove nothing.
    var spared = [[String]](repeating: [], count: removals.ranges.count)
    for (key, _, _, removal) in returning { spared[removal].append(key.string) }
    let isTaking = try zip(removals.ranges, spared).map { removal, keys in
      try DictionaryTable.remove(
        prefix: removal.prefix, in: namespaces.name(removal.namespace), except: keys, on: group.connection)
    }
    // Record which of the removed ranges' keys keep their values.
    for (key, value, isChanged, removal) in returning where !isChanged && isTaking[removal] {
      written.append(.keep(key, value))
    }
    return zip(removals.ranges, isTaking).compactMap { $1 ? Operation.removePrefix($0) : nil } + written
  }

  /// Removes an expired row, which the transaction has found in the same view. Returns false if it is gone.
  private func removeExpired(
    _ key: HashedKey, in group: Group, noting member: inout MemberReplacements
  ) throws -> Bool {
    guard try DictionaryTable.remove(key.string, in: name(of: key), on: group.connection) else { return false }
    member.noteWrite(of: key, marked: unreadable.mark(of: key), hasReplaced: true)
    return true
  }

  /// Returns the value that a key has after its write. An equal value stays in its envelope, which may have another
  /// key.
  private func present(
    _ value: CachedValue, for key: HashedKey, after outcome: WriteOutcome, in group: Group
  ) throws -> CachedValue {
    guard outcome == .unchanged, value.kind == .sealed else { return value }
    return try row(of: key, in: group) ?? value
  }

  /// Notes the value that a key has after its write.
  private func note(_ value: CachedValue, for key: HashedKey, in earlier: inout EarlierChanges) {
    if value.kind == .sealed {
      let identifier = value.visible(at: core.options.wallClock.now()).stored?.sealKeyIdentifier
      earlier.noteWrite(of: key, sealedBy: identifier, isResealing: value.sealedWrite?.isResealing == true)
    } else if earlier.knowsSeals {
      earlier.noteWrite(of: key, sealedBy: nil, isResealing: false)
    }
  }

  private enum WriteOutcome { case changed, unchanged, refused }

  /// Writes a value as `writeRow` does, unless its schema contradicts the file's, and stores the schema with it.
  private func write(
    _ value: CachedValue, for key: HashedKey, to group: Group, knowing values: KnownValues?,
    after earlier: inout EarlierChanges, isRestored: Bool, noting member: inout MemberReplacements,
    refusing refuse: (HashedKey, any Error) throws -> Void
  ) throws -> WriteOutcome {
    // Usually there is no schema, or the file has it already.
    let schema = value.schema.flatMap { SchemaList.isKnown($0, on: group.connection) ? nil : $0 }
    if let schema, let incompatibility = try ValueSchemas.incompatibility(of: schema, on: group.connection) {
      // The value that the row has changes nothing, whatever wrote it.
      if try isSame(value, as: values?[key], for: key, after: &earlier, in: group) {
        member.noteWrite(of: key, marked: unreadable.mark(of: key), hasReplaced: false)
        return .unchanged
      }
      try refuse(key, incompatibility)
      return .refused
    }
    let outcome = try writeRow(
      value, for: key, to: group, knowing: values, after: &earlier, isRestored: isRestored, noting: &member,
      refusing: refuse)
    if outcome == .changed, let schema { try SchemaList.store(schema, on: group.connection) }
    return outcome
  }

  /// Returns true if a row has a value. `known` is the row's, if it is known.
  private func isSame(
    _ value: CachedValue, as known: CachedValue?, for key: HashedKey, after earlier: inout EarlierChanges,
    in group: Group
  ) throws -> Bool {
    if let write = value.sealedWrite {
      let relation = try relation(of: value, by: write, to: known, for: key, after: &earlier, in: group)
      return if case .success(.same) = relation { true } else { false }
    }
    return try known?.isIdentical(to: value)
      ?? (DictionaryTable.relation(of: value, to: key.string, in: name(of: key), on: group.connection) == .same)
  }

  /// - Parameters:
  ///   - earlier: What comes before. The old value of a key that a removal covers isn't kept.
  ///   - isRestored: True if the value is put back, so that any old value is kept.
  private func writeRow(
    _ value: CachedValue, for key: HashedKey, to group: Group, knowing values: KnownValues?,
    after earlier: inout EarlierChanges, isRestored: Bool, noting member: inout MemberReplacements,
    refusing refuse: (HashedKey, any Error) throws -> Void
  ) throws -> WriteOutcome {
    let known = values?[key]
    let isTaken = earlier.covers(key)
    let mark = unreadable.mark(of: key)
    if let known, known.isIdentical(to: value) {
      member.noteWrite(of: key, marked: mark, hasReplaced: false)
      return .unchanged
    }
    let name = name(of: key)
    let isMarked = mark.map { $0.isOfRow && !group.hasReplaced(key, marked: $0) } ?? false
    let isUnreadable = !isTaken && isMarked
    let markPriority: ReplacedTable.Priority = mark?.isMismatch == true ? .low : .high
    if value.isAbsent {
      func remove() throws -> Bool { try DictionaryTable.remove(key.string, in: name, on: group.connection) }
      // A change through an optional may have read nil, and then stores it.
      let isChanged =
        try isUnreadable
        ? keepingOld(of: key, in: name, isUnreadable: true, markPriority, in: group, noting: &member, remove)
        : remove()
      member.noteWrite(of: key, marked: mark, hasReplaced: isChanged)
      return isChanged ? .changed : .unchanged
    }
    let write = value.sealedWrite
    // A value that is sealed again is as unreadable as before, and must not stay under the old key.
    let keepsOld = write?.isResealing != true && (isUnreadable || isRestored && !isTaken)
    do {
      // Store the value if that needs no comparison first.
      var old: DictionaryTable.Relation
      if let write {
        switch try relation(of: value, by: write, to: known, for: key, after: &earlier, in: group) {
        case .success(let relation): old = relation
        case .failure(let refusal):
          try refuse(key, refusal)
          return .refused
        }
      } else if let known {
        old = DictionaryTable.relation(of: value, to: known)
      } else if keepsOld {
        old = try DictionaryTable.relation(of: value, to: key.string, in: name, on: group.connection)
      } else {
        let found = try DictionaryTable.store(
          value, for: key.string, in: name, at: group.commitNumber, on: group.connection)
        guard let found else {
          try announce(value, in: group)
          member.noteWrite(of: key, marked: mark, hasReplaced: true)
          return .changed
        }
        old = found
      }
      if old == .same {
        member.noteWrite(of: key, marked: mark, hasReplaced: false)
        return .unchanged
      }
      // Only its key's owner, or who has an envelope, replaces a sealed value, unless it has expired or is removed
      // first.
      if old == .otherKind, !isTaken, value.kind != .sealed {
        let row = try known ?? self.row(of: key, in: group)
        if let row, row.kind == .sealed, !row.visible(at: core.options.wallClock.now()).isAbsent {
          guard earlier.removes(key) else {
            try refuse(key, WorkspaceError.sealed)
            return .refused
          }
          // The old value is kept aside only if a removal alone would keep it.
          old = .differs
        }
      }
      // Replace the old value. Keep it aside if its bytes would be lost unseen.
      func replace() throws {
        try DictionaryTable.replace(
          with: value, for: key.string, in: name, at: group.commitNumber, on: group.connection)
        try announce(value, in: group)
      }
      if !isTaken, old == .otherKind || old == .differs && keepsOld {
        let priority = old == .otherKind || isRestored ? .high : markPriority
        try keepingOld(
          of: key, in: name, isUnreadable: isUnreadable, priority, in: group, noting: &member, replace)
      } else {
        try replace()
      }
      member.noteWrite(of: key, marked: mark, hasReplaced: true)
      return .changed
    } catch let error as SQLiteError where error.isTooBig {
      try refuse(key, error)
      return .refused
    }
  }

  /// Gives the file the features that a value needs which was written to it.
  @inline(__always)
  private func announce(_ value: CachedValue, in group: Group) throws {
    guard case .boxed(let box) = value else { return }
    switch box.content {
    case .string, .data, .propertyList, .flatBuffers: break
    case .sealed: try FileFormat.announce(.sealedValues, on: group.connection)
    case .expiring(let expiration, let value):
      try FileFormat.announce(
        value.kind == .sealed ? [.sealedValues, .expiringValues] : .expiringValues, on: group.connection)
      try ExpiryIndex.create(on: group.connection)
      group.noteWritten(expiration, by: self)
    }
  }

  /// Returns the value that a row has; nil if there is none, or it can't be read.
  private func row(of key: HashedKey, in group: Group) throws -> CachedValue? {
    do { return try DictionaryTable.load(key.string, in: name(of: key), on: group.connection)?.value } catch let error
      as WorkspaceError where error.code == .undecodable || error.code == .corrupt
    { return nil }
  }
}

extension DictionaryStore {
  // MARK: Sealed values

  /// Returns how a row relates to a sealed value, by what both contain: two envelopes of one value differ.
  ///
  /// - Returns: A failure, without the key, for a write that is refused: the row's value isn't sealed, or with another
  ///   key, or the row is new and the namespace's others are sealed with another key. Rows that are removed first are
  ///   gone for this, and those that were written since are there.
  private func relation(
    of value: CachedValue, by write: SealedWrite, to known: CachedValue?, for key: HashedKey,
    after earlier: inout EarlierChanges, in group: Group
  ) throws -> Result<DictionaryTable.Relation, WorkspaceError> {
    let old: CachedValue
    do {
      old = try known ?? DictionaryTable.load(key.string, in: name(of: key), on: group.connection)?.value ?? .absent
    } catch let error as WorkspaceError where error.code == .undecodable || error.code == .corrupt {
      return .success(.otherKind)
    }
    let now = core.options.wallClock.now()
    if write.isResealing {
      // The transaction that seals again has read the row, or a value that it has staged instead.
      if let first = write.first, !earlier.removes(key),
        let refusal = first.refusal(over: old.visible(at: now), forKey: key.string)
      {
        return .failure(refusal)
      }
      return .success(old.isAbsent ? .absent : .differs)
    }
    let isRemoved = earlier.removes(key)
    let isNew = old.visible(at: now).isAbsent
    if isNew || isRemoved {
      let other = try earlier.sealIdentifier(in: key.namespace) { isGone in
        try DictionaryTable.firstSealedRow(
          in: name(of: key), numbered: key.namespace, at: now, on: group.connection,
          except: { text in isGone(HashedKey(text, namespace: key.namespace)) })
      }
      if other.map(write.mayAdd(besideValuesSealedBy:)) == false { return .failure(.wrongSealKey) }
    }
    if isNew { return .success(old.isAbsent ? .absent : .differs) }
    do {
      let contents = try (
        old: write.opened(old.lasting, forKey: key.string),
        new: write.seal.opened(value.lasting, forKey: key.string)
      )
      // A value that only the first write's seal opens is sealed with this one's.
      let mayStay = old.stored?.sealKeyIdentifier.map(write.seal.knows) != false
      if mayStay, contents.old.isIdentical(to: contents.new) {
        return .success(old.expiration == value.expiration ? .same : .differs)
      }
      return .success(contents.old.readableKind == contents.new.readableKind ? .differs : .otherKind)
    } catch let error as WorkspaceError {
      switch error.code {
      case .notSealed, .wrongSealKey:
        if isRemoved { return .success(.differs) }
        if case .any? = write.first { return .success(.otherKind) }
        return .failure(error)
      default: return .success(.otherKind)
      }
    }
  }
}

/// The values that a group's transaction sees, for keys known in memory. The committed state can't change meanwhile:
/// the group holds the write token and the file's write lock.
private struct KnownValues {
  /// The group's changes; nil if there are none.
  let before: ChangeList?
  let shards: ShardTable

  subscript(key: HashedKey) -> CachedValue? {
    before?.value(of: key) ?? shards.withShard(of: key) { $0.committed[key]?.value }
  }
}
