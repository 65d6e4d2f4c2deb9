/// The plain model that a program's answers are compared with.
final class Model {
  let files: [FileModel]
  let slots: [SlotModel]
  /// Kept objects by process.
  var kept: [Int: [KeptObject]] = [:]
  /// The number of callbacks, coders and other workspaces' transactions that the current operation runs in.
  private(set) var innerDepth = 0

  init(_ program: Program) {
    files = (0...(program.slots.map(\.file).max() ?? 0)).map { _ in FileModel() }
    slots = program.slots.enumerated().map { SlotModel($0, $1) }
  }

  func file(_ slot: SlotModel) -> FileModel { files[slot.slot.file] }

  // MARK: Commits

  /// Runs `body` for operations that run where nothing waits for observers.
  func inner(_ body: () throws -> Void) rethrows {
    innerDepth += 1
    defer { innerDepth -= 1 }
    try body()
  }

  /// Commits a state, of one member of a group.
  ///
  /// - Parameter isPlain: True for plain writes, for whose observers nobody waits.
  func commit(
    _ new: FileState, by author: SlotModel, optional: (Name) -> Bool = { _ in false }, ends: Bool = true,
    isPlain: Bool = false
  ) {
    let file = file(author)
    let old = file.current
    file.history.append(new)
    file.usedRowids.formUnion(new.rows.keys)
    file.usedPosts.formUnion(new.posts.keys)
    let size = Self.logSize(from: old, to: new)
    // A plain write that waits for the end of this transaction may be committed before an observed closure reads.
    let isFollowed = slots.contains { $0.slot.file == author.slot.file && !$0.pending.isEmpty }
    for slot in slots where slot.isOpen && slot.slot.file == author.slot.file {
      if slot !== author {
        slot.externalSize += size
        loosenMarks(of: slot, from: old, to: new)
      }
      for observer in slot.observers.values {
        observer.note(
          from: old, to: new, isOwn: slot === author, optional: optional, ends: ends,
          isAwaited: !isPlain && !isFollowed && innerDepth == 0)
      }
    }
    author.seen = file.history.count - 1
    if old.values != new.values || old.rows != new.rows || old.posts != new.posts { file.hasChanged = true }
  }

  /// Returns the approximate size of a commit in the change log.
  private static func logSize(from old: FileState, to new: FileState) -> Int {
    var size = 0
    for name in Set(old.values.keys).union(new.values.keys) where old.values[name] != new.values[name] {
      let value = Token.size(new.values[name])
      size += Alphabet.keys[name.key].utf8.count + Alphabet.namespaces[name.namespace].utf8.count + 16
      if value <= 512 { size += value }
    }
    return size
  }

  /// Commits the plain writes of a slot, which happens now at the latest.
  func flush(_ slot: SlotModel) {
    if slot.pending.isEmpty { return }
    let file = file(slot)
    file.isNumberOpen = true
    let writes = slot.pending
    slot.pending = []
    keepReplaced(by: writes, slot)
    var final = file.current
    for write in writes { write.apply(to: &final) }
    for (index, write) in writes.enumerated() {
      var next = file.current
      write.apply(to: &next)
      let isLast = index + 1 == writes.count
      // Intermediate values may be replaced while they are pending.
      commit(
        next, by: slot, optional: { name in !isLast && Self.mayChange(name, in: writes[(index + 1)...]) }, isPlain: true
      )
    }
  }

  static func mayChange(_ name: Name, in writes: ArraySlice<PlainWrite>) -> Bool {
    writes.contains { write in
      switch write {
      case .set(let other, _): other == name
      case .clear(let namespace, let prefix):
        namespace == name.namespace && Alphabet.prefixCovers[prefix][name.key]
      }
    }
  }

  /// Returns the possible states of the file: any prefix of the pending plain writes may be committed.
  func committedStates(_ slot: SlotModel) -> [FileState] {
    var states = [file(slot).current]
    for write in slot.pending {
      var next = states[states.count - 1]
      write.apply(to: &next)
      states.append(next)
    }
    return states
  }

  /// Checks the commit number that a transaction or a settled workspace reports: it rises if and only if something
  /// changed.
  func check(number: UInt64, in slot: SlotModel) throws {
    let file = file(slot)
    defer {
      file.number = number
      file.hasChanged = false
      file.isNumberOpen = false
    }
    guard let known = file.number else { return }
    // Pending plain writes may be committed at any time.
    if slots.contains(where: { $0.slot.file == slot.slot.file && !$0.pending.isEmpty }) {
      file.isNumberOpen = true
    }
    if number < known { throw Mismatch("the commit number decreased from \(known) to \(number)") }
    if file.hasChanged, !file.isNumberOpen, number == known {
      throw Mismatch("something changed, but the commit number stayed \(number)")
    }
    // The index that the later schema needs is filled by commits at unknown times.
    if !file.hasChanged, !file.isNumberOpen, !slot.slot.fillsIndexes, number != known {
      throw Mismatch("nothing changed, but the commit number went from \(known) to \(number)")
    }
  }

  // MARK: Comparing

  func expect(_ expected: String, _ reply: Reply, _ what: @autoclosure () -> String = "") throws {
    guard case .text(let text) = reply, text == expected else {
      throw Mismatch("\(what()) returned \(reply.text), not \(expected)")
    }
  }

  /// Checks a read of the dictionary, or of entities, in any role.
  ///
  /// - Parameter nothing: The reply of a read that can't throw, in place of an error.
  func read(
    _ slot: SlotModel, _ scope: ModelScope, _ reply: Reply, of type: Operation.Types? = nil, nothing: String? = nil,
    _ what: String, _ describe: (FileState) -> String
  ) throws {
    switch scope {
    case .transaction(let transaction) where transaction.slot === slot:
      if let type, transaction.failure == nil, !transaction.declares.contains(type) {
        return try expect("!undeclaredType", reply, what)
      }
      if type == nil { join(transaction) }
      if let failure = transaction.failure {
        return try expect(nothing ?? failure, reply, "\(what) in a transaction that has failed")
      }
      try expect(describe(transaction.state), reply, "\(what) in a transaction")
    case .snapshot(let pinned):
      let matching = pinned.states.filter { describe($0) == reply.text }
      guard !matching.isEmpty else {
        throw Mismatch(
          "\(what) in a snapshot returned \(reply.text), not \(pinned.states.map(describe).joined(separator: " or "))")
      }
      pinned.states = matching
    default:
      if slot.isShut { return try expect(nothing ?? "!shutdown", reply, "\(what) after shutdown") }
      let file = file(slot)
      let states = file.history[slot.seen...].map { type != nil ? $0 : slot.overlay(on: $0) }
      guard let found = states.firstIndex(where: { describe($0) == reply.text }) else {
        var older = ""
        if file.history[..<slot.seen].contains(where: { describe(slot.overlay(on: $0)) == reply.text }) {
          older = " (as it was before)"
        }
        throw Mismatch(
          "\(what) returned \(reply.text)\(older), not \(states.map(describe).joined(separator: " or "))")
      }
      slot.seen += found
    }
  }

  /// Takes the write token for the transaction. The plain writes before it come first.
  func join(_ transaction: TransactionModel) {
    if transaction.hasJoined || transaction.failure != nil { return }
    let slot = transaction.slot
    if slot.slot.isReadOnly { return transaction.fail("!readOnly") }
    transaction.hasJoined = true
    flush(slot)
    transaction.state = file(slot).current
    slot.seen = file(slot).history.count - 1
  }

  func keep(_ object: KeptObject, _ slot: SlotModel) {
    var object = object
    // An object of the first schema has no fields that a later one added.
    object.row.code = nil
    var objects = kept[slot.slot.process] ?? []
    if objects.count >= Executor.objectLimit { objects.removeFirst() }
    objects.append(object)
    kept[slot.slot.process] = objects
  }
}
