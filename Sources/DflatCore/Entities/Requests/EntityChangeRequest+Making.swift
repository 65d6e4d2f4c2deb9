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
  /// - Parameter object: It says which object: by its row if it was read from this file or its insertion committed to it,
  ///   else by its primary key. Its other fields don't count.
  /// - Returns: Nil when there is no such object now. What else is wrong, the submission throws.
  public class func changeRequest(_ object: Element) -> Self? {
    changeRequest(object, in: ThreadContext.currentTransaction)
  }

  /// A request to store an object, whether it is there or not: when the request is submitted, the fields replace those of
  /// the object's row, if it is one of this file, as in ``changeRequest(_:)``, and still there; else those of the row that
  /// has their primary key; else the object is inserted. So objects of one workspace can be stored in another.
  public class func upsertRequest(_ object: Element) -> Self {
    // Found or not: the submission decides.
    let request = Self(_values: Element._Builder(from: object))
    request.settle(in: ThreadContext.currentTransaction) { _ in .upsert(object._identity) }
    return request
  }

  /// A request to delete a stored object.
  ///
  /// - Parameter object: It says which object, as in ``changeRequest(_:)``.
  /// - Returns: Nil when there is no such object now. What else is wrong, the submission throws.
  public class func deletionRequest(_ object: Element) -> Self? {
    let request = Self(_values: Element._Builder(from: object))
    let isThere = request.settle(in: ThreadContext.currentTransaction) { transaction in
      try transaction.rowid(of: object).map { .deletion(rowid: $0) }
    }
    return isThere ? request : nil
  }

  class func changeRequest(_ object: Element, in transaction: TransactionContext?) -> Self? {
    guard let transaction else { return refused(object, because: outside) }
    let stored: Element
    let bytes: [UInt8]
    let isSame: Bool
    do {
      try transaction.requireDeclared(Element.self)
      guard let row = try transaction.row(of: object) else { return nil }
      bytes = row.bytes
      // Most objects are as they were when they were read: writing one is quicker than reading it anew.
      isSame = row.isOfObject && object.isEncoded(as: bytes)
      stored = isSame ? object : try decode(row, transaction)
    } catch { return refused(object, because: transaction.failing(error, about: Element.self)) }
    let request = Self(_values: Element._Builder(from: stored))
    request.intent = .change(
      StoredBytes(bytes, areOfThisSchema: isSame), since: transaction.stamp(of: Element._entity))
    request.transaction = transaction
    request.stored = stored
    return request
  }

  /// Settles what the request is to do: what `body` says, or to tell an error when it is submitted. False when `body` has
  /// nothing to say.
  @discardableResult
  private func settle(
    in transaction: TransactionContext?, _ body: (TransactionContext) throws -> ChangeIntent?
  ) -> Bool {
    guard let transaction else {
      intent = .nothing(because: Self.outside)
      return true
    }
    self.transaction = transaction
    do {
      try transaction.requireDeclared(Element.self)
      guard let found = try body(transaction) else { return false }
      intent = found
    } catch {
      intent = .nothing(because: transaction.failing(error, about: Element.self))
    }
    return true
  }

  private class func refused(_ object: Element, because error: WorkspaceError) -> Self {
    let request = Self(_values: Element._Builder(from: object))
    request.intent = .nothing(because: error)
    return request
  }

  private class var outside: WorkspaceError {
    WorkspaceError(
      .invalidRequest,
      "A request to change, upsert or delete a \(Element.self) was made outside a transaction; make it in the closure that "
        + "submits it.")
  }

  private class func decode(_ row: FoundRow, _ transaction: TransactionContext) throws -> Element {
    do {
      return try row.bytes.withUnsafeBytes { bytes throws(FlatBufferError) in
        try Element.stored(in: bytes, transaction.identity(of: row, Element._entity))
      }
    } catch {
      throw WorkspaceError.undecodable(
        error, rowid: row.rowid, table: Element._entity.table, path: transaction.core.path)
    }
  }
}

/// A row as a transaction sees it.
struct FoundRow {
  let rowid: Int64
  let bytes: [UInt8]
  /// It was found by the object's row, not by its primary key.
  let isOfObject: Bool
  let file: UInt64
  let commitNumber: UInt64
}

extension TransactionContext {
  fileprivate func rowid<Element: Atom>(of object: Element) throws -> Int64? {
    let found = try read { connection, number in
      guard let rowid = object._identity.row(on: connection, at: number, for: self) else {
        return try EntityRows.find(keyOf: object, on: connection)?.rowid
      }
      return try EntityRows.contains(rowid, in: Element._entity, on: connection) ? rowid : nil
    }
    return found ?? nil
  }

  fileprivate func row<Element: Atom>(of object: Element) throws -> FoundRow? {
    let found = try read { connection, number -> FoundRow? in
      let file = connection.fileNumber
      guard let rowid = object._identity.row(on: connection, at: number, for: self) else {
        return try EntityRows.find(keyOf: object, on: connection).map {
          FoundRow(rowid: $0, bytes: $1, isOfObject: false, file: file, commitNumber: number)
        }
      }
      return try EntityRows.payload(of: rowid, in: Element._entity, on: connection).map {
        FoundRow(rowid: rowid, bytes: $0, isOfObject: true, file: file, commitNumber: number)
      }
    }
    return found ?? nil
  }

  /// The identity of the object in a row that was just found.
  fileprivate func identity(of row: FoundRow, _ entity: EntityDescription) -> EntityIdentity {
    let origin =
      currentGroup.map { EntityOrigin(of: entity, in: self, $0) }
      ?? EntityOrigin(inFile: row.file, at: row.commitNumber)
    return origin.identity(of: row.rowid)
  }
}
