import DflatBuffers

extension EntityChangeRequest {
  /// A request to insert an object, with every field at its default. It may be made anywhere.
  public class func creationRequest() -> Self { Self(_values: Element._Builder()) }

  /// A request to insert a copy of an object. It may be made anywhere.
  ///
  /// - Parameter object: Its fields count; where it is stored, if it is, does not.
  public class func creationRequest(_ object: Element) -> Self { Self(_values: Element._Builder(from: object)) }

  /// A request to change a stored object, its fields preset with what is stored now, the transaction's own submissions
  /// included.
  ///
  ///     if let request = PostChangeRequest.changeRequest(post) {
  ///       request.title = "changed"
  ///       try txn.submit(request)
  ///     }
  ///
  /// - Parameter object: It says which object: by its row if it was stored, else by its primary key. Its other fields don't
  ///   count.
  /// - Returns: Nil when there is no such object now. What else is wrong, the submission throws.
  public class func changeRequest(_ object: Element) -> Self? {
    changeRequest(object, in: ThreadContext.currentTransaction)
  }

  /// A request to store an object, whether it is there or not: when the request is submitted, the fields replace those of
  /// the object's row, if it was stored and that row still is; else those of the row that has their primary key; else the
  /// object is inserted.
  public class func upsertRequest(_ object: Element) -> Self {
    let fields = Element._Builder(from: object)
    // Found or not: the submission decides.
    return make(with: object, in: ThreadContext.currentTransaction) { _ in (fields, .upsert(rowid: object._rowid)) }
      ?? Self(_values: fields)
  }

  /// A request to delete a stored object.
  ///
  /// - Parameter object: It says which object: by its row if it was stored, else by its primary key.
  /// - Returns: Nil when there is no such object now. What else is wrong, the submission throws.
  public class func deletionRequest(_ object: Element) -> Self? {
    make(with: object, in: ThreadContext.currentTransaction) { transaction in
      let found = try transaction.read { connection, _ in try EntityRows.find(object, on: connection) }
      guard let row = found ?? nil else { return nil }
      return (Element._Builder(from: object), .deletion(rowid: row.rowid))
    }
  }

  class func changeRequest(_ object: Element, in transaction: TransactionContext?) -> Self? {
    make(with: object, in: transaction) { transaction in
      var found: (rowid: Int64, payload: [UInt8])?
      var commitNumber: UInt64 = 0
      _ = try transaction.read { connection, number in
        found = try EntityRows.find(object, on: connection)
        commitNumber = number
      }
      guard let found else { return nil }
      let now = try decode(found.payload, found.rowid, commitNumber, transaction)
      let row = StoredRow(object: now, bytes: found.payload)
      return (Element._Builder(from: now), .change(row, since: transaction.stamp(of: Element._entity)))
    }
  }

  /// A request in a transaction. An error of `body` is told by the submission.
  private class func make(
    with object: Element, in transaction: TransactionContext?,
    _ body: (TransactionContext) throws -> (Element._Builder, Intent)?
  ) -> Self? {
    guard let transaction else {
      return Self(_values: Element._Builder(from: object)).meaning(.nothing(because: outside), in: nil)
    }
    do {
      try transaction.requireDeclared(Element.self)
      guard let (values, intent) = try body(transaction) else { return nil }
      return Self(_values: values).meaning(intent, in: transaction)
    } catch {
      let error = transaction.failing(error, about: Element.self)
      return Self(_values: Element._Builder(from: object)).meaning(.nothing(because: error), in: transaction)
    }
  }

  private func meaning(_ intent: Intent, in transaction: TransactionContext?) -> Self {
    self.intent = intent
    self.transaction = transaction
    return self
  }

  private class var outside: WorkspaceError {
    WorkspaceError(
      .invalidRequest,
      "A request to change, upsert or delete a \(Element.self) was made outside a transaction; make it in the closure that "
        + "submits it.")
  }

  private class func decode(
    _ payload: [UInt8], _ rowid: Int64, _ commitNumber: UInt64, _ transaction: TransactionContext
  ) throws -> Element {
    do {
      return try payload.withUnsafeBytes { bytes throws(FlatBufferError) in
        try Element.stored(in: bytes, rowid: rowid, commitNumber: commitNumber)
      }
    } catch {
      throw WorkspaceError.undecodable(
        error, rowid: rowid, table: Element._entity.table, path: transaction.core.path)
    }
  }
}
