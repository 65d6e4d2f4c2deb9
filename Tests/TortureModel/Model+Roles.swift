extension Model {
  func checkRole(_ operation: Operation, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    guard case .list(let replies) = reply else { throw Mismatch("\(operation.printed) returned \(reply.text)") }
    switch operation {
    case .transact(let way, let declares, let body, let ending):
      var way = way
      if case .plain = scope {} else { way = .wait }
      try transact(way, declares, body, ending, replies, slot, scope)
    case .batch(let members):
      let wasShut = slot.isShut
      for (index, (member, reply)) in zip(members, replies).enumerated() {
        guard case .list(let replies) = reply else { throw Mismatch("a transaction returned \(reply.text)") }
        try transact(
          .perform, member.declares, member.body, member.ending, replies, slot, scope,
          isLast: index + 1 == members.count, takesWriteToken: index == 0, isBatch: true, isRefused: wasShut)
      }
      if !slot.isShut { file(slot).isNumberOpen = true }
    case .callback(let body):
      guard let first = replies.first else { throw Mismatch("a callback returned nothing") }
      if slot.isShut { return try expect("!shutdown", first, "a write after shutdown") }
      let transaction = TransactionModel(slot, declares: [], on: file(slot).current)
      join(transaction)
      let old = transaction.state.values[Alphabet.trigger].flatMap { Int64($0.dropFirst()) } ?? 0
      transaction.state.values[Alphabet.trigger] = "i\(old + 1)"
      commit(transaction.state, by: slot)
      try expect("i\(old + 1)", first, "an update")
      try inner { try check(body, replies.dropFirst(), at: slot, in: .plain) }
    case .completion(let body):
      guard let first = replies.first else { throw Mismatch("a completion returned nothing") }
      if slot.isShut { slot.allowedReports.insert("!shutdown") }
      try expect(slot.isShut ? "false" : "true", first, "a transaction that does nothing")
      try inner { try check(body, replies.dropFirst(), at: slot, in: .plain) }
    default: break
    }
  }

  private func transact(
    _ way: Operation.Way, _ declares: Operation.Types, _ body: [Operation], _ ending: Operation.Ending,
    _ replies: [Reply],
    _ slot: SlotModel, _ scope: ModelScope, isLast: Bool = true, takesWriteToken: Bool = false, isBatch: Bool = false,
    isRefused: Bool? = nil
  ) throws {
    guard let first = replies.first, case .text(let text) = first else {
      throw Mismatch("a transaction returned nothing")
    }
    let parts = text.split(separator: " ")
    let outcome = String(parts[0].dropFirst())
    if mustNotWait(slot, scope) { return try expectOutcome("!wouldDeadlock", outcome, way) }
    // Calls made before shutdown run to their end.
    if isRefused ?? slot.isShut {
      // The completion reports only that the transaction failed.
      if way == .perform { slot.allowedReports.insert("!shutdown") }
      return try expectOutcome("!shutdown", outcome, way)
    }
    let transaction = TransactionModel(slot, declares: declares, on: file(slot).current)
    if takesWriteToken { join(transaction) }
    try check(body, replies.dropFirst(), at: slot, in: .transaction(transaction))
    var expected: String?
    switch ending {
    case .commit: break
    case .abort: transaction.fail("!aborted")
    // An error that the closure throws takes precedence over the abort.
    case .fail where transaction.failure == "!aborted": expected = "!refusal"
    case .fail: transaction.fail("!refusal")
    }
    if transaction.state.isTooLarge { transaction.fail("!tooLarge") }
    if let failure = expected ?? transaction.failure {
      // The completion reports only that the transaction failed.
      if way == .perform { slot.allowedReports.insert(failure) }
      try expectOutcome(failure, outcome, way)
      undo(transaction)
    } else {
      try expectOutcome("ok", outcome, way)
      if transaction.hasJoined {
        keepReplaced(by: transaction)
        commit(transaction.state, by: slot, ends: isLast)
      }
      // Rows that were inserted and deleted again, and used rowids, change only the file. The number may be looked at
      // much later: in a batch, or after a closure that shut the workspace down.
      if transaction.movedRows, transaction.hasSameObjects { file(slot).isNumberOpen = true }
    }
    // In a snapshot, the workspace reports the snapshot's number.
    if case .snapshot = scope { return file(slot).isNumberOpen = true }
    // Until it has joined a group, the transaction need not know of others' commits.
    if !isBatch, transaction.hasJoined, !slot.isShut, let number = parts.last.flatMap({ UInt64($0) }) {
      try check(number: number, in: slot)
    }
  }

  private func expectOutcome(_ expected: String, _ outcome: String, _ way: Operation.Way) throws {
    // In callbacks, all transactions run by waiting for them.
    guard outcome == expected || way == .perform && outcome == "!" && expected != "ok" else {
      throw Mismatch("a transaction ended with \(outcome), not \(expected)")
    }
  }

  // MARK: Observing

  func observe(_ id: Int, _ observed: Observed, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    let observer = ObserverModel(observed, pending: slot.pending)
    defer { slot.observers[id] = observer }
    if slot.isShut || slot.slot.isReadOnly {
      observer.isUnknown = true
      // Another file's object is refused before the workspace's state is checked.
      if case .object(let index) = observed, object(index, slot)?.file != slot.identityOfFile {
        slot.allowedReports.insert("!invalidRequest")
      }
      return
    }
    let state = file(slot).current
    switch observed {
    case .key(let name):
      observer.expectsInitial = true
      // The initial value counts as a change from a base that equals no value.
      observer.tracks[name] = Track(base: "?", entries: initial(name, slot))
    case .prefix(let namespace, let prefix):
      let covers = Alphabet.prefixCovers[prefix]
      for (name, token) in state.values where name.namespace == namespace && covers[name.key] {
        observer.tracks[name] = Track(base: token)
      }
    case .query(let query): try observe(observer, reply, slot, scope, of: .members, query.printed, query.token(of:))
    case .posts(let query): try observe(observer, reply, slot, scope, of: .posts, query.printed) { query.token(of: $0) }
    case .later(let limit):
      let fetch = LaterOperation.fetch(limit: limit)
      try observe(observer, reply, slot, scope, of: .members, fetch.printed) { fetch.result(of: $0) }
    case .closure(let reads):
      // A plain write before the subscription may be committed by then.
      let first = committedStates(slot).map { reads.result(of: $0) }
      guard first.contains(reply.text) else {
        throw Mismatch("an observed closure first delivered \(reply.text), not \(first.joined(separator: " or "))")
      }
      observer.tracks[ObserverModel.whole] = Track(base: reply.text, skipsEqual: true)
    case .object(let index):
      guard let object = object(index, slot), object.file == slot.identityOfFile, !object.isUndone else {
        observer.isUnknown = true
        slot.allowedReports.insert("!invalidRequest")
        return
      }
      let rowid = object.rowid
      observer.rowid = rowid
      var track = Track(base: "#\(rowid) \(object.row.token)")
      track.entries = [
        Track.Entry(
          token: state.rows[rowid].map { "#\(rowid) \($0.token)" } ?? "deleted", isOptional: false, isOwn: true)
      ]
      observer.tracks[ObserverModel.whole] = track
    }
  }

  /// Observes a live query, whose first result is the reply.
  private func observe(
    _ observer: ObserverModel, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope, of type: Operation.Types,
    _ what: String, _ describe: (FileState) -> String
  ) throws {
    try read(slot, scope, reply, of: type, what, describe)
    observer.tracks[ObserverModel.whole] = Track(base: reply.text, entries: catchUp(slot, describe))
  }

  /// Other processes' commits, which the observer may not have seen when it began.
  private func catchUp(_ slot: SlotModel, _ describe: (FileState) -> String) -> [Track.Entry] {
    let states = file(slot).history[slot.seen...]
    return states.map { Track.Entry(token: describe($0), isOptional: true, isOwn: false) }
  }

  private func initial(_ name: Name, _ slot: SlotModel) -> [Track.Entry] {
    let states = file(slot).history[slot.seen...]
    // A plain write before the subscription may be committed by then.
    let mayHaveChanged = Self.mayChange(name, in: slot.pending[...])
    return states.enumerated().map { index, state in
      Track.Entry(
        token: state.values[name] ?? "-", isOptional: index + 1 < states.count || mayHaveChanged, isOwn: false,
        size: Token.size(state.values[name]))
    }
  }
}
