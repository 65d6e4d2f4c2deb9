/// A key whose value a workspace could not read. The write that replaces the value keeps it.
struct UnreadableMark {
  /// False if the workspace may have no mark, or one of another value.
  var isCertain: Bool
  /// True if the mark may still be there after a write of the key.
  var mayOutliveWrites: Bool
  /// The priority of the value that it keeps. Nil if it is not known.
  var priority: Int?

  init(isCertain: Bool, priority: Int?) {
    self.isCertain = isCertain
    self.mayOutliveWrites = !isCertain
    self.priority = priority
  }

  /// Adds another read that could not read the value.
  mutating func add(isCertain: Bool, priority new: Int?) {
    // One value that can't be decoded outweighs all reads that only wanted another type.
    if new != priority { priority = isCertain && new == 1 ? 1 : nil }
    self.isCertain = self.isCertain || isCertain
    mayOutliveWrites = mayOutliveWrites || !isCertain
  }
}

extension Model {
  // MARK: Reads that fail

  /// Notes a read whose reply is the error of an unreadable value.
  func noteRead(_ name: Name, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) {
    switch reply.text {
    case "!typeMismatch": mark(name, priority: 0, slot, scope)
    case "!undecodable": mark(name, priority: 1, slot, scope)
    default: break
    }
  }

  /// Notes a read that returned a default because it could not read the value, or did so for one of the states that it
  /// may have seen.
  func noteRead(_ name: Name, _ slot: SlotModel, _ scope: ModelScope, _ read: (_ token: String?) -> String) {
    var states = file(slot).history[slot.seen...] + committedStates(slot)
    switch scope {
    case .transaction(let transaction): states.append(transaction.state)
    case .snapshot(let pinned): states += pinned.states
    case .plain, .encoding: break
    }
    for state in states { noteRead(name, .text(read(state.values[name])), slot, scope) }
  }

  /// Marks a key. Only the mark of a plain read, while no write of the key waits, is certain to be that of its row.
  private func mark(_ name: Name, priority: Int, _ slot: SlotModel, _ scope: ModelScope) {
    var isCertain = !slot.isShut && !Self.mayChange(name, in: slot.pending[...])
    if case .plain = scope {} else { isCertain = false }
    if slot.seen + 1 != file(slot).history.count { isCertain = false }
    if var known = slot.marks[name] {
      known.add(isCertain: isCertain, priority: priority)
      slot.marks[name] = known
    } else {
      slot.marks[name] = UnreadableMark(isCertain: isCertain, priority: priority)
    }
  }

  /// Notes that another workspace has changed keys: what their marks keep now is another value.
  func loosenMarks(of slot: SlotModel, from old: FileState, to new: FileState) {
    for name in slot.marks.keys where old.values[name] != new.values[name] { slot.marks[name]?.isCertain = false }
  }

  /// Notes that the workspace has changed a key.
  private func endMark(of name: Name, _ slot: SlotModel, isCleared: Bool) {
    guard let mark = slot.marks[name] else { return }
    guard mark.mayOutliveWrites || isCleared else { return slot.marks[name] = nil }
    slot.marks[name]?.isCertain = false
    slot.marks[name]?.mayOutliveWrites = true
  }

  // MARK: Writes

  /// Keeps the value of a key that one write replaces or removes, if it is kept.
  private func keep(_ name: Name, _ old: String?, replacedBy new: String?, isRestored: Bool = false, _ slot: SlotModel)
  {
    guard let old, old != new else { return }
    let mark = slot.marks[name]
    let isOfOtherKind = new.map { Self.kind($0) != Self.kind(old) } ?? false
    let isHigh = isOfOtherKind || isRestored
    guard isHigh || mark != nil else { return }
    file(slot).replaced.add(
      ReplacedList.Entry(
        name: name, token: old, isCertain: isHigh || mark?.isCertain == true, priority: isHigh ? 1 : mark?.priority))
  }

  /// Returns the kinds whose types normally can't read values of another one.
  private static func kind(_ token: String) -> Character {
    let kind = token.first ?? " "
    return "iufd".contains(kind) ? "i" : kind
  }

  /// Keeps what a transaction replaces, right before its state is committed.
  func keepReplaced(by transaction: TransactionModel) {
    let slot = transaction.slot
    let (old, new) = (file(slot).current.values, transaction.state.values)
    let restored = transaction.restorationsInEffect
    for name in Set(old.keys).union(new.keys) where old[name] != new[name] {
      let isCleared = Self.mayChange(name, in: transaction.clears[...])
      if !isCleared {
        keep(name, old[name], replacedBy: new[name], isRestored: restored[name] != nil, slot)
      }
      endMark(of: name, slot, isCleared: isCleared)
    }
    let removed = transaction.removed.union(restored.values.map(\.id))
    if removed.isEmpty { return }
    file(slot).replaced.remove(removed)
    file(slot).isNumberOpen = true
  }

  /// Keeps what plain writes replace, which may be committed together or one by one.
  func keepReplaced(by writes: [PlainWrite], _ slot: SlotModel) {
    var names: Set<Name> = []
    for case .set(let name, _) in writes { names.insert(name) }
    for case .clear(let namespace, let prefix) in writes {
      for name in file(slot).current.values.keys
      where name.namespace == namespace && Alphabet.prefixCovers[prefix][name.key] { names.insert(name) }
    }
    for name in names {
      let old = file(slot).current.values[name]
      let changes = writes.filter { Self.mayChange(name, in: [$0]) }
      if changes.count == 1, case .set(_, let new)? = changes.first {
        if new == old { continue }
        keep(name, old, replacedBy: new, slot)
        endMark(of: name, slot, isCleared: false)
        continue
      }
      // Any of the values may have been committed before the next one.
      var values = [old]
      for case .set(_, let new) in changes { values.append(new) }
      if changes.count > 1 {
        for case let value? in values.dropLast() {
          file(slot).replaced.add(ReplacedList.Entry(name: name, token: value, isCertain: false))
        }
      }
      endMark(of: name, slot, isCleared: true)
    }
  }

  // MARK: The list

  func check(_ use: ReplacedUse, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    // Where plain writes may be committed before or after the read, nothing was read.
    if reply.text == "!refusal" { return }
    let transaction = transaction(slot, scope)
    if let transaction { join(transaction) }
    if let failure = transaction?.failure { return try expect(failure, reply, use.printed) }
    if transaction == nil, slot.isShut { return try expect("!shutdown", reply, use.printed) }
    guard case .list(let replies) = reply, replies.count == 2, case .text(let text) = replies[0] else {
      throw Mismatch("\(use.printed) returned \(reply.text)")
    }
    var listed: [ReplacedList.Listed] = []
    for part in text.split(separator: "; ") {
      guard let value = ReplacedList.Listed(part) else { throw Mismatch("\(use.printed) listed \(part)") }
      listed.append(value)
    }
    // A list that was read while a plain write waits may be from before or after it.
    guard transaction != nil || slot.pending.isEmpty else { return }
    if transaction == nil { slot.seen = file(slot).history.count - 1 }
    var namespace: Int?
    if case .list(let one) = use { namespace = one }
    try file(slot).replaced.check(
      listed, of: namespace, without: transaction?.hiddenReplaced ?? [], isCommitted: transaction == nil)
    try checkOutcome(of: use, listed, replies[1], slot, scope)
  }

  private func checkOutcome(
    of use: ReplacedUse, _ listed: [ReplacedList.Listed], _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    if case .list = use { return try expect("ok", reply, use.printed) }
    if listed.isEmpty { return try expect("none", reply, use.printed) }
    var answer = ""
    let failure = try atomically(slot, scope) { transaction in
      switch use {
      case .list: break
      case .restore(let index):
        let value = listed[index % listed.count]
        transaction.state.values[value.name] = value.token
        transaction.restorations[value.name] = (value.id, value.token)
        answer = "true"
      case .remove(let indices):
        let ids = Set(indices.map { listed[$0 % listed.count].id })
        transaction.removed.formUnion(ids)
        answer = "\(ids.count)"
      }
      return true
    }
    try expect(failure ?? answer, reply, use.printed)
  }
}

extension TransactionModel {
  /// The restorations that no later change of the transaction has overtaken.
  var restorationsInEffect: [Name: (id: ReplacedList.ID, token: String)] {
    restorations.filter { state.values[$0.key] == $0.value.token }
  }

  /// The values that the transaction has restored or removed, which it no longer lists.
  var hiddenReplaced: Set<ReplacedList.ID> { removed.union(restorationsInEffect.values.map(\.id)) }
}
