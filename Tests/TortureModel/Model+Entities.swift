extension Model {
  func checkEntities(
    _ operation: Operation, _ reply: Reply, _ slot: SlotModel, _ scope: ModelScope, isTop: Bool
  ) throws {
    switch operation {
    case .fetch(let query):
      try read(slot, scope, reply, of: .members, query.printed, query.token(of:))
      if isTop, !slot.isShut, let first = query.rows(of: file(slot).history[slot.seen].rows).first {
        keep(KeptObject(file: slot.identityOfFile, rowid: first.rowid, row: first.row), slot)
      }
      return
    case .tally(let query):
      return try read(slot, scope, reply, of: .members, "the count of \(query.printed)") {
        "\(query.rows(of: $0.rows).count)"
      }
    case .aggregate(let aggregate, let query):
      return try read(slot, scope, reply, of: .members, operation.printed) { aggregate.result(of: $0, query) }
    case .post(.fetch(let query)):
      return try read(slot, scope, reply, of: .posts, query.printed, query.token(of:))
    case .later(let operation) where operation.isFetch:
      return try read(slot, scope, reply, of: .members, operation.printed, operation.result(of:))
    default: break
    }
    guard case .transaction(let transaction) = scope, transaction.slot === slot else { return }
    guard transaction.hasContext else { return try expect("!refusal", reply, operation.printed) }
    if let failure = transaction.failure {
      if isObjectMissing(operation, slot) { return }
      if case .submit = operation { return try expect("nil", reply, operation.printed) }
      return try expect(failure, reply, operation.printed)
    }
    guard transaction.declares.contains(operation.type) else {
      if case .submit = operation {
        slot.allowedReports.insert("!undeclaredType")
        return transaction.fail("!undeclaredType")
      }
      if isObjectMissing(operation, slot) { return }
      return try expect("!undeclaredType", reply, operation.printed)
    }
    let before = (transaction.state.rows, transaction.state.posts)
    defer {
      if (transaction.state.rows, transaction.state.posts) != before || reply.text.hasPrefix("!") {
        transaction.movedRows = true
      }
    }
    switch operation {
    case .post(let operation): try check(operation, reply, in: transaction)
    case .later(let operation): try check(operation, reply, in: transaction)
    case .insert(let row): try insert(row, reply, transaction)
    case .submit(let row): try submit(row, reply, transaction)
    case .upsert(let row): try upsert(row, rowid: nil, reply, transaction, operation.printed)
    case .upsertObject(let index):
      guard let object = object(index, slot) else { return }
      try upsert(object.row, rowid: rowid(of: object, slot), reply, transaction, operation.printed)
    case .change(let index, let edit):
      guard let object = object(index, slot) else { return }
      guard let rowid = find(object, transaction), var row = transaction.state.rows[rowid] else {
        return try expect("!objectNotFound", reply, operation.printed)
      }
      join(transaction)
      row.apply(edit)
      guard transaction.state.accepts(row, at: rowid) else {
        return try expect("!objectAlreadyExists", reply, operation.printed)
      }
      transaction.state.rows[rowid] = row
      try expect("#\(rowid) \(row.token)", reply, operation.printed)
    case .delete(let index):
      guard let object = object(index, slot) else { return }
      join(transaction)
      guard let rowid = find(object, transaction) else {
        return try expect("!objectNotFound", reply, operation.printed)
      }
      transaction.state.rows[rowid] = nil
      try expect("deleted", reply, operation.printed)
    case .updateAll(let filter, let edit, let key, let failsAt):
      try updateAll(filter, edit, key, failsAt, reply, transaction, operation.printed)
    case .deleteAll(let filter):
      join(transaction)
      let gone = transaction.state.rows.filter { row in filter.map { $0.holds(for: row.value) == true } ?? true }
      for rowid in gone.keys { transaction.state.rows[rowid] = nil }
      try expect("\(gone.count)", reply, operation.printed)
    default: break
    }
  }

  private func isObjectMissing(_ operation: Operation, _ slot: SlotModel) -> Bool {
    switch operation {
    case .change(let index, _), .delete(let index), .upsertObject(let index): object(index, slot) == nil
    default: false
    }
  }

  func object(_ index: Int, _ slot: SlotModel) -> KeptObject? {
    let objects = kept[slot.slot.process] ?? []
    return objects.isEmpty ? nil : objects[index % objects.count]
  }

  /// Returns the rowid that an object claims, or nil if the rowid has no meaning.
  private func rowid(of object: KeptObject, _ slot: SlotModel) -> Int64? {
    object.file == slot.identityOfFile && !object.isUndone ? object.rowid : nil
  }

  private func find(_ object: KeptObject, _ transaction: TransactionModel) -> Int64? {
    if let rowid = rowid(of: object, transaction.slot) {
      return transaction.state.rows[rowid] == nil ? nil : rowid
    }
    return transaction.state.row(numbered: object.row.number)
  }

  // MARK: Single objects

  private func insert(_ row: Row, _ reply: Reply, _ transaction: TransactionModel) throws {
    join(transaction)
    guard transaction.state.accepts(row, at: nil) else {
      return try expect("!objectAlreadyExists", reply, "insert \(row.token)")
    }
    let rowid = try newRow(row, row.token, reply, transaction, "insert \(row.token)")
    keep(KeptObject(file: transaction.slot.identityOfFile, rowid: rowid, row: row), transaction.slot)
    transaction.inserted.append(rowid)
  }

  private func submit(_ row: Row, _ reply: Reply, _ transaction: TransactionModel) throws {
    join(transaction)
    guard transaction.state.accepts(row, at: nil) else {
      transaction.slot.allowedReports.insert("!objectAlreadyExists")
      transaction.fail("!objectAlreadyExists")
      return try expect("nil", reply, "submit \(row.token)")
    }
    _ = try newRow(row, row.token, reply, transaction, "submit \(row.token)")
  }

  private func upsert(
    _ row: Row, rowid: Int64?, _ reply: Reply, _ transaction: TransactionModel, _ what: String
  ) throws {
    join(transaction)
    let held = rowid.flatMap { transaction.state.rows[$0] == nil ? nil : $0 }
    let found = held ?? transaction.state.row(numbered: row.number)
    guard transaction.state.accepts(row, at: found) else {
      return try expect("!objectAlreadyExists", reply, what)
    }
    guard let found else {
      _ = try newRow(row, row.token, reply, transaction, what)
      return
    }
    transaction.state.rows[found] = transaction.state.rows[found].map { row.replacing($0) }
    try expect("#\(found) \(row.token)", reply, what)
  }

  /// Checks the row that the library chose for a new object: it must never have held another one.
  func newRow(
    _ row: Row, _ token: String, _ reply: Reply, _ transaction: TransactionModel, _ what: String
  ) throws -> Int64 {
    guard let rowid = Self.rowid(in: reply), reply.text == "#\(rowid) \(token)" else {
      throw Mismatch("\(what) returned \(reply.text)")
    }
    guard transaction.state.rows[rowid] == nil, !file(transaction.slot).usedRowids.contains(rowid) else {
      throw Mismatch("\(what) returned the row \(rowid), which belonged to another object")
    }
    transaction.state.rows[rowid] = row
    return rowid
  }

  static func rowid(in reply: Reply) -> Int64? {
    guard case .text(let text) = reply, text.hasPrefix("#") else { return nil }
    return text.dropFirst().split(separator: " ").first.flatMap { Int64($0) }
  }

  func undo(_ transaction: TransactionModel) {
    let process = transaction.slot.slot.process
    for index in (kept[process] ?? []).indices
    where kept[process]?[index].file == transaction.slot.identityOfFile
      && transaction.inserted.contains(kept[process]?[index].rowid ?? -1)
    { kept[process]?[index].isUndone = true }
  }

  // MARK: Many objects

  private func updateAll(
    _ filter: Filter?, _ edit: Edit, _ key: Name?, _ failsAt: Int?, _ reply: Reply, _ transaction: TransactionModel,
    _ what: String
  ) throws {
    join(transaction)
    let before = transaction.state
    let matching = before.rows.filter { row in filter.map { $0.holds(for: row.value) == true } ?? true }.keys.sorted()
    for (place, rowid) in matching.enumerated() {
      guard place != failsAt else {
        transaction.state = before
        return try expect("!refusal", reply, what)
      }
      if let key { transaction.state.values[key] = "i\(place + 1)" }
      guard var row = transaction.state.rows[rowid] else { continue }
      row.apply(edit)
      guard transaction.state.accepts(row, at: rowid) else {
        transaction.state = before
        // Either of two conflicting objects may fail first. None of the changes is kept.
        return try expect("!objectAlreadyExists", reply, what)
      }
      transaction.state.rows[rowid] = row
    }
    try expect("\(matching.count)", reply, what)
  }
}

extension Operation {
  /// The type of objects that the operation uses.
  fileprivate var type: Types { if case .post = self { .posts } else { .members } }
}
