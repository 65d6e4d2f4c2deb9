extension Model {
  func check(_ operations: [Operation], _ replies: some Collection<Reply>, at slot: SlotModel, in scope: ModelScope)
    throws
  {
    guard operations.count == replies.count else {
      throw Mismatch("there are \(replies.count) replies to \(operations.count) operations")
    }
    for (operation, reply) in zip(operations, replies) { try check(operation, reply, at: slot, in: scope) }
  }

  /// Returns the transaction that runs on the thread, if it belongs to the slot's workspace.
  func transaction(_ slot: SlotModel, _ scope: ModelScope) -> TransactionModel? {
    guard case .transaction(let transaction) = scope, transaction.slot === slot else { return nil }
    return transaction
  }

  func check(
    _ operation: Operation, _ reply: Reply, at slot: SlotModel, in scope: ModelScope, isTop: Bool = false
  ) throws {
    if reply.text == "!closed" { return }
    switch operation {
    case .get(let name): try read(slot, scope, reply, "get \(name.printed)") { $0.values[name] ?? "-" }
    case .getInteger(let name):
      try read(slot, scope, reply, "get \(name.printed) as Int") { Self.integer($0.values[name]) }
      noteRead(name, reply, slot, scope)
    case .contains(let name):
      try read(slot, scope, reply, nothing: "false", "contains \(name.printed)") { "\($0.values[name] != nil)" }
    case .keys(let namespace, let prefix):
      try read(slot, scope, reply, nothing: "", operation.printed) { state in
        state.keys(namespace, prefix).map(String.init).joined(separator: " ")
      }
    case .count(let namespace):
      try read(slot, scope, reply, nothing: "0", operation.printed) { "\($0.keys(namespace, 0).count)" }
    case .entries(let namespace, let prefix, let limit):
      try read(slot, scope, reply, operation.printed) { state in
        let keys = state.keys(namespace, prefix)
        return (limit.map { keys.prefix($0) } ?? keys[...]).map { key in
          "\(key)=\(state.values[Name(namespace: namespace, key: key)] ?? "")"
        }.joined(separator: " ")
      }
    case .namespaces: try checkNamespaces(reply, slot, scope)
    case .replaced(let use): try check(use, reply, slot, scope)
    case .set(let name, let value): try checkSet(name, value, reply, slot, scope)
    case .typed(let name, let value): try checkTyped(name, value, reply, slot, scope)
    case .typedUse(let name, let use): try check(use, of: name, reply, slot, scope)
    case .remove(let name): write(.set(name, nil), slot, scope)
    case .clear(let namespace, let prefix): write(.clear(namespace, prefix), slot, scope)
    case .add(let name, let amount, let body): try checkAdd(name, amount, body, reply, slot, scope)
    case .exchange(let name, let expected, let new): try checkExchange(name, expected, new, reply, slot, scope)
    case .synchronize, .flush:
      if mustNotWait(slot, scope) { return try expect("!wouldDeadlock", reply, "synchronize in a transaction") }
      try synchronized(reply, slot)
    case .snapshot(let body):
      guard case .list(let replies) = reply else { throw Mismatch("a snapshot returned \(reply.text)") }
      if transaction(slot, scope) != nil { return try check(body, replies, at: slot, in: scope) }
      if case .snapshot = scope { return try check(body, replies, at: slot, in: scope) }
      // After shutdown, reads return nothing or throw, and writes fail. Encoders still may not wait.
      if slot.isShut {
        if case .encoding = scope { return try check(body, replies, at: slot, in: scope) }
        return try check(body, replies, at: slot, in: .plain)
      }
      slot.seen = file(slot).history.count - 1
      let pinned = PinnedModel(committedStates(slot))
      pinned.mustNotWait = mustNotWait(slot, scope)
      try check(body, replies, at: slot, in: .snapshot(pinned))
    case .encoder(let name, let value, let body):
      guard case .list(let replies) = reply else { throw Mismatch("an encoder returned \(reply.text)") }
      // The cached value may be the same, which skips the encoding.
      if !replies.isEmpty { try inner { try check(body, replies, at: slot, in: scope) } }
      write(.set(name, value.token), slot, scope)
    case .late(let name, let text, let body): try checkLate(name, text, body, reply, slot, scope)
    case .decoder(let name, let body):
      guard case .list(let replies) = reply, let first = replies.first else {
        throw Mismatch("a decoder returned \(reply.text)")
      }
      try read(slot, scope, first, "get \(name.printed) as Pair") { state in
        guard let token = state.values[name] else { return "-" }
        return token.hasPrefix("p") ? token : "!typeMismatch"
      }
      noteRead(name, first, slot, scope)
      if replies.count > 1, case .list(let others) = replies[1] {
        try inner { try check(body, others, at: slot, in: scope) }
      }
    case .elsewhere(let other, let body):
      if let transaction = transaction(slot, scope) { join(transaction) }
      guard case .list(let replies) = reply else { throw Mismatch("another workspace returned \(reply.text)") }
      try inner { try check(body, replies, at: slots[other], in: scope) }
    case .abort:
      if let transaction = transaction(slot, scope) {
        guard transaction.hasContext else { return try expect("!refusal", reply, "abort") }
        try expect("\(!transaction.isAborted)", reply, "abort")
        transaction.isAborted = true
        transaction.fail("!aborted")
      }
    case .shutdown: slot.isShut = true
    case .observe(let id, let observed): try observe(id, observed, reply, slot, scope)
    case .cancel(let id):
      // The events received so far are checked at the next settling.
      if let observer = slot.observers[id] { observer.isUnknown = true }
    case .transact, .batch, .callback, .completion: try checkRole(operation, reply, slot, scope)
    default: try checkEntities(operation, reply, slot, scope, isTop: isTop)
    }
  }

  /// Returns true in a transaction or an encoding of the slot's workspace.
  func mustNotWait(_ slot: SlotModel, _ scope: ModelScope) -> Bool {
    if case .encoding = scope { return true }
    if case .snapshot(let pinned) = scope { return pinned.mustNotWait }
    return transaction(slot, scope) != nil
  }

  private func checkNamespaces(_ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    // The list has only namespaces of the file, not those of staged or pending writes.
    let describe: (FileState) -> String = { state in
      Set(state.values.keys.map(\.namespace)).sorted {
        Alphabet.namespaceRanks[$0] < Alphabet.namespaceRanks[$1]
      }.map(String.init).joined(separator: " ")
    }
    if let transaction = transaction(slot, scope) {
      join(transaction)
      return try expect(
        transaction.failure ?? describe(file(slot).current), reply, "namespaces in a transaction")
    }
    if case .snapshot = scope { return try read(slot, scope, reply, "namespaces", describe) }
    if slot.isShut { return try expect("!shutdown", reply, "namespaces after shutdown") }
    let file = file(slot)
    let states = file.history[slot.seen...] + committedStates(slot)
    guard states.contains(where: { describe($0) == reply.text }) else {
      throw Mismatch("namespaces returned \(reply.text), not \(describe(file.current))")
    }
  }

  static func integer(_ token: String?) -> String {
    guard let token else { return "-" }
    let value =
      switch token.first {
      case "i"?, "u"?: Int64(token.dropFirst())
      case "f"?, "d"?: Token.double(token).flatMap { Int64(exactly: $0) }
      default: Int64?.none
      }
    return value.map { "i\($0)" } ?? "!typeMismatch"
  }

  // MARK: Writing

  func write(_ write: PlainWrite, _ slot: SlotModel, _ scope: ModelScope) {
    if let transaction = transaction(slot, scope) {
      join(transaction)
      if case .clear = write { transaction.clears.append(write) }
      return write.apply(to: &transaction.state)
    }
    if slot.isShut || slot.slot.isReadOnly { return refuse(slot, .plain, slot.isShut ? "!shutdown" : "!readOnly") }
    slot.pending.append(write)
  }

  /// Refuses a write before it is queued: the transaction fails with it, or the next `synchronize()` reports it.
  private func refuse(_ slot: SlotModel, _ scope: ModelScope, _ code: String) {
    slot.allowedReports.insert(code)
    if let transaction = transaction(slot, scope) {
      transaction.fail(code)
    } else {
      slot.failure = slot.failure ?? code
    }
  }

  private func checkSet(
    _ name: Name, _ value: Value, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    if value == .unencodable { return refuse(slot, scope, "!unencodable") }
    guard let failure = value.lateFailure else { return write(.set(name, value.token), slot, scope) }
    if transaction(slot, scope) != nil {
      // A value that is too large is staged, and fails the transaction when it is applied.
      if value == .deep { return refuse(slot, scope, failure) }
      return write(.set(name, value.token), slot, scope)
    }
    refuse(slot, scope, slot.isShut ? "!shutdown" : failure)
    // Elsewhere a later `synchronize()` reports it.
    if case .plain = scope { try synchronized(reply, slot) }
  }

  /// Checks a value that is encoded when its group is applied, in the `synchronize()` that follows the write.
  private func checkLate(
    _ name: Name, _ text: Text, _ body: [Operation], _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    guard case .list(let replies) = reply, let end = replies.first else {
      throw Mismatch("a write returned \(reply.text)")
    }
    let token = Value.flat(text).token
    var others: [Reply]?
    if replies.count > 1, case .list(let replies) = replies[1] { others = replies }
    if transaction(slot, scope) != nil {
      if let others { try inner { try check(body, others, at: slot, in: scope) } }
      return write(.set(name, token), slot, scope)
    }
    write(.set(name, token), slot, .plain)
    if let others {
      // Writes made during the encoding wait for the next group.
      let queued = slot.pending
      try inner { try check(body, others, at: slot, in: .encoding) }
      let later = slot.pending[queued.count...]
      slot.pending = queued
      flush(slot)
      try synchronized(end, slot)
      slot.pending = Array(later)
    } else {
      if !slot.isShut { throw Mismatch("\(name.printed) was not encoded by synchronize()") }
      try synchronized(end, slot)
    }
  }

  private func checkTyped(
    _ name: Name, _ value: Value, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    slot.allowedReports.insert("!typeMismatch")
    if let failure = transaction(slot, scope)?.failure { slot.allowedReports.insert(failure) }
    let (kind, standIn) =
      switch value {
      case .int: ("i", "i7")
      case .text: ("s", Token.bytes("s", Array("default".utf8)))
      case .pair: ("p", Value.pair(7, Text(salt: 7, length: 7)).token)
      default: ("t", Token.bytes("t", Array("default".utf8)))
      }
    let reading: (String?) -> String = { token in
      guard let token else { return standIn }
      if kind == "i" { return Self.integer(token) }
      return token.hasPrefix(kind) ? token : "!typeMismatch"
    }
    try read(slot, scope, reply, nothing: standIn, "\(name.printed) by a typed key") { state in
      let found = reading(state.values[name])
      return found.hasPrefix("!") ? standIn : found
    }
    noteRead(name, slot, scope, reading)
    write(.set(name, value.token), slot, scope)
  }

  func synchronized(_ reply: Reply, _ slot: SlotModel) throws {
    let failure = slot.failure
    slot.failure = nil
    if !slot.isShut { flush(slot) }
    if slot.isShut, failure == nil { return }
    // In a read-only workspace, either the write or the flush reports the error.
    try expect(failure ?? "ok", reply, "synchronize")
  }

  /// Runs a transaction of one operation, or a part of the one that runs.
  func atomically(
    _ slot: SlotModel, _ scope: ModelScope, _ body: (TransactionModel) throws -> Bool
  ) throws -> String? {
    if let transaction = transaction(slot, scope) {
      join(transaction)
      if transaction.failure == nil { _ = try body(transaction) }
      return transaction.failure
    }
    if mustNotWait(slot, scope) { return "!wouldDeadlock" }
    if slot.isShut { return "!shutdown" }
    let transaction = TransactionModel(slot, declares: [], on: file(slot).current)
    transaction.hasContext = false
    join(transaction)
    if transaction.failure == nil, try body(transaction) {
      if transaction.state.isTooLarge { transaction.fail("!tooLarge") }
      if transaction.failure == nil {
        keepReplaced(by: transaction)
        commit(transaction.state, by: slot)
      }
    }
    return transaction.failure
  }

  private func checkAdd(
    _ name: Name, _ amount: Int64, _ body: [Operation], _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    guard case .list(let replies) = reply, let last = replies.last else {
      throw Mismatch("update returned \(reply.text)")
    }
    var expected = ""
    let failure = try atomically(slot, scope) { transaction in
      let current = Self.integer(transaction.state.values[name])
      if current.hasPrefix("!") {
        expected = current
        return false
      }
      try check(body, replies.dropLast(), at: slot, in: .transaction(transaction))
      let (sum, _) = (current == "-" ? 0 : Int64(current.dropFirst()) ?? 0).addingReportingOverflow(amount)
      expected = "i\(sum)"
      transaction.state.values[name] = expected
      return true
    }
    // In a transaction that could go on, the value's own failure is reported.
    try expect(expected.hasPrefix("!") ? expected : failure ?? expected, last, "update \(name.printed)")
    noteRead(name, last, slot, .encoding)
  }

  private func checkExchange(
    _ name: Name, _ expected: Value?, _ new: Value?, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope
  ) throws {
    var answer = "false"
    let failure = try atomically(slot, scope) { transaction in
      let current = transaction.state.values[name]
      if let current, !Self.isReadable(current, as: new ?? expected) {
        // The decoder of `Unencodable` refuses whatever it is given, which is all but FlatBuffers.
        answer = !current.hasPrefix("t") && (new ?? expected) == .unencodable ? "!undecodable" : "!typeMismatch"
        return false
      }
      guard Self.isSame(current, expected == .unencodable ? nil : expected, as: new ?? expected) else { return true }
      if new == .unencodable {
        answer = "!unencodable"
        slot.allowedReports.insert(answer)
        transaction.fail(answer)
        return false
      }
      answer = "true"
      transaction.state.values[name] = new?.token
      return true
    }
    try expect(failure ?? answer, reply, "compareAndSet \(name.printed)")
    noteRead(name, reply, slot, .encoding)
  }

  /// Returns true if the value can be read as the operation's type.
  private static func isReadable(_ token: String, as value: Value?) -> Bool {
    switch value {
    case .text?: token.hasPrefix("s")
    case .double?: Token.double(token) != nil
    case .unencodable?: false
    default: integer(token).hasPrefix("i")
    }
  }

  private static func isSame(_ token: String?, _ expected: Value?, as value: Value?) -> Bool {
    guard let token else { return expected == nil }
    guard let expected else { return false }
    if case .double(let bits) = expected {
      // Both zeros are equal, and so are all NaNs.
      let (expected, current) = (Double(bitPattern: bits), Token.double(token))
      return expected.isNaN ? current?.isNaN == true : current == expected
    }
    if case .int = expected { return integer(token) == expected.token }
    return token == expected.token
  }
}
