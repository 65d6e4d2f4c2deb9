extension Model {
  func checkRole(_ operation: Operation, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    guard case .list(let replies) = reply else { throw Mismatch("\(operation.printed) gave \(reply.text)") }
    switch operation {
    case .transact(let way, let declares, let body, let ending):
      var way = way
      if case .plain = scope {} else { way = .wait }
      try transact(way, declares, body, ending, replies, slot, scope)
    case .batch(let members):
      for (index, (member, reply)) in zip(members, replies).enumerated() {
        guard case .list(let replies) = reply else { throw Mismatch("a transaction gave \(reply.text)") }
        try transact(
          .perform, member.declares, member.body, member.ending, replies, slot, scope,
          isLast: index + 1 == members.count, takesBaton: index == 0, isBatch: true)
      }
      if !slot.isShut { file(slot).isNumberOpen = true }
    case .callback(let body):
      guard let first = replies.first else { throw Mismatch("a callback gave nothing") }
      if slot.isShut { return try expect("!shutdown", first, "a write after shutdown") }
      let transaction = TransactionModel(slot, declares: false, on: file(slot).current)
      join(transaction)
      let old = transaction.state.values[Alphabet.trigger].flatMap { Int64($0.dropFirst()) } ?? 0
      transaction.state.values[Alphabet.trigger] = "i\(old + 1)"
      commit(transaction.state, by: slot)
      try expect("i\(old + 1)", first, "an update")
      try check(body, replies.dropFirst(), at: slot, in: .plain)
    case .completion(let body):
      guard let first = replies.first else { throw Mismatch("a completion gave nothing") }
      try expect(slot.isShut ? "false" : "true", first, "a transaction that does nothing")
      try check(body, replies.dropFirst(), at: slot, in: .plain)
    default: break
    }
  }

  private func transact(
    _ way: Operation.Way, _ declares: Bool, _ body: [Operation], _ ending: Operation.Ending, _ replies: [Reply],
    _ slot: SlotModel, _ scope: ModelScope, isLast: Bool = true, takesBaton: Bool = false, isBatch: Bool = false
  ) throws {
    guard let first = replies.first, case .text(let text) = first else { throw Mismatch("a transaction gave nothing") }
    let parts = text.split(separator: " ")
    let outcome = String(parts[0].dropFirst())
    if case .transaction(let outer) = scope, outer.slot === slot {
      return try expectOutcome("!wouldDeadlock", outcome, way)
    }
    if slot.isShut {
      // Its completion is told nothing but that it failed.
      if way == .perform { slot.allowedReports.insert("!shutdown") }
      return try expectOutcome("!shutdown", outcome, way)
    }
    let transaction = TransactionModel(slot, declares: declares, on: file(slot).current)
    if takesBaton { join(transaction) }
    try check(body, replies.dropFirst(), at: slot, in: .transaction(transaction))
    var failures = transaction.failures
    switch ending {
    case .commit: break
    case .abort: failures.insert("!aborted")
    case .fail: failures.insert("!refusal")
    }
    if failures.isEmpty {
      guard outcome == "ok" else { throw Mismatch("a transaction ended with \(outcome)") }
      if transaction.hasJoined { commit(transaction.state, by: slot, ends: isLast) }
    } else {
      guard outcome != "ok" else {
        throw Mismatch("a transaction committed in spite of \(failures.sorted().joined(separator: ", "))")
      }
      guard way == .perform || failures.contains(outcome) else {
        throw Mismatch("a transaction ended with \(outcome), not \(failures.sorted().joined(separator: " or "))")
      }
      undo(transaction)
      // Whether the plain writes before it were committed for it depends on when the write failed.
      if failures.contains("!unencodable") { file(slot).isNumberOpen = true }
    }
    // In a snapshot the workspace says the snapshot's number.
    if case .snapshot = scope { return file(slot).isNumberOpen = true }
    if !isBatch, transaction.hasJoined, !slot.isShut, let number = parts.last.flatMap({ UInt64($0) }),
      !slot.slot.isReadOnly
    {
      // Rows that come and go, and rowids that are used up, are nobody's business but the file's.
      if transaction.movedRows, transaction.state.rows == transaction.start.rows { file(slot).isNumberOpen = true }
      if failures.isEmpty || slot.pending.isEmpty { try check(number: number, in: slot) }
    }
  }

  private func expectOutcome(_ expected: String, _ outcome: String, _ way: Operation.Way) throws {
    // Inside of callbacks all transactions are run by waiting for them.
    guard outcome == expected || way == .perform && outcome == "!" else {
      throw Mismatch("a transaction ended with \(outcome), not \(expected)")
    }
  }

  // MARK: Observing

  func observe(_ id: Int, _ observed: Observed, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope) throws {
    let observer = ObserverModel(observed)
    defer { slot.observers[id] = observer }
    if slot.isShut || slot.slot.isReadOnly {
      observer.isUnknown = true
      return
    }
    let state = file(slot).current
    switch observed {
    case .key(let name):
      observer.expectsInitial = true
      // Told as a change from something that is no value.
      observer.tracks[name] = Track(base: "?", entries: initial(name, slot))
    case .prefix(let namespace, let prefix):
      let covers = Alphabet.prefixCovers[prefix]
      for (name, token) in state.values where name.namespace == namespace && covers[name.key] {
        observer.tracks[name] = Track(base: token)
      }
    case .query(let query):
      try read(slot, scope, reply, ofEntities: true, query.printed) { state in
        resultToken(query.rows(of: state.rows).map { (rowid: $0.rowid, token: $0.row.token) })
      }
      observer.tracks[ObserverModel.whole] = Track(
        base: reply.text,
        entries: catchUp(slot) { state in
          resultToken(query.rows(of: state.rows).map { (rowid: $0.rowid, token: $0.row.token) })
        })
    case .object(let index):
      guard let object = object(index, slot), object.file == slot.slot.file, !object.isUndone else {
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

  /// Other processes' commits, which the observer may not have seen when it began.
  private func catchUp(_ slot: SlotModel, _ describe: (FileState) -> String) -> [Track.Entry] {
    let states = file(slot).history[slot.seen...]
    return states.map { Track.Entry(token: describe($0), isOptional: true, isOwn: false) }
  }

  private func initial(_ name: Name, _ slot: SlotModel) -> [Track.Entry] {
    let states = file(slot).history[slot.seen...]
    return states.enumerated().map { index, state in
      Track.Entry(
        token: state.values[name] ?? "-", isOptional: index + 1 < states.count, isOwn: false)
    }
  }
}
