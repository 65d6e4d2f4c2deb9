import DflatBuffers
import DflatCore
import DflatSQLite

extension EntityChangeRequest {
  /// Returns a request to insert an object with each field at its default. May be called anywhere.
  public class func creationRequest() -> Self { Self(_values: Element._Builder()) }

  /// Returns a request to insert a copy of an object. May be called anywhere.
  ///
  /// - Parameter object: The object to copy. Only its fields count, not its identity.
  public class func creationRequest(_ object: Element) -> Self { Self(_values: Element._Builder(from: object)) }

  /// Returns a request to change a stored object. Its fields start with the values stored now, including the
  /// transaction's own submissions.
  ///
  ///     if let request = PostChangeRequest.changeRequest(post) {
  ///       request.title = "changed"
  ///       try txn.submit(request)
  ///     }
  ///
  /// Blocks the calling thread while it reads the object's row.
  ///
  /// - Parameter object: The object to change, identified by its row if it was read from this file or its insertion was
  ///   committed to it, else by its primary key. Its other fields don't count.
  /// - Returns: The request, or nil if there is no such object now. Other errors are thrown by the submission.
  public class func changeRequest(_ object: Element) -> Self? {
    changeRequest(object, in: ThreadContext.currentTransaction)
  }

  /// Returns a request to store an object that may or may not exist.
  ///
  /// The submission replaces the object's row, if the object is from this file, as in ``changeRequest(_:)``, and the
  /// row still exists; else the row with the same primary key. If there is neither, it inserts the object. So an object
  /// of one workspace can be stored in another. A replaced row keeps the fields that only the schema of a newer program
  /// has, as in a change, wherever the object comes from.
  public class func upsertRequest(_ object: Element) -> Self {
    // The submission looks for the object.
    let request = Self(_values: Element._Builder(from: object))
    request.resolve(in: ThreadContext.currentTransaction) { transaction in
      try transaction.requireDeclared(.swift(Element.self))
      return .upsert(object._identity)
    }
    return request
  }

  /// Returns a request to delete a stored object.
  ///
  /// Blocks the calling thread while it looks for the object's row.
  ///
  /// - Parameter object: The object to delete, identified as in ``changeRequest(_:)``.
  /// - Returns: The request, or nil if there is no such object now. Other errors are thrown by the submission.
  public class func deletionRequest(_ object: Element) -> Self? {
    let request = Self(_values: Element._Builder(from: object))
    let isThere = request.resolve(in: ThreadContext.currentTransaction) { transaction in
      try transaction.rowid(of: object).map { .deletion(rowid: $0) }
    }
    return isThere ? request : nil
  }

  class func changeRequest(_ object: Element, in transaction: TransactionContext?) -> Self? {
    guard let transaction else { return refused(object, because: outside) }
    let writer = transaction.writer(of: Element._entity)
    let stored: Element
    let bytes: [UInt8]
    let isSame: Bool
    do {
      guard let row = try transaction.row(of: object, writtenBy: writer) else { return nil }
      bytes = row.bytes
      // Most objects are unchanged since they were read. Encoding one takes less time than decoding its row.
      isSame = row.isOfObject && object.isEncoded(as: bytes)
      stored = isSame ? object : try decode(row, transaction)
    } catch { return refused(object, because: transaction.failing(error, about: Element.self)) }
    let request = Self(_values: Element._Builder(from: stored))
    request.intent = .change(
      StoredBytes(bytes, areCurrentEncoding: isSame),
      since: writer?.table.changes.changeCount ?? transaction.changeCount(of: Element._entity))
    request.transaction = transaction
    request.stored = stored
    return request
  }

  /// Sets the intent that `body` returns. If there is no transaction or an error is thrown, sets an intent that throws
  /// the error at submission. Returns false if `body` returns nil.
  @discardableResult
  private func resolve(
    in transaction: TransactionContext?, _ body: (TransactionContext) throws -> ChangeIntent?
  ) -> Bool {
    guard let transaction else {
      intent = .nothing(because: Self.outside)
      return true
    }
    self.transaction = transaction
    do {
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

/// A row as a transaction reads it.
struct FoundRow {
  let rowid: Int64
  let bytes: [UInt8]
  /// True if the row was found by the object's rowid, false if by its primary key.
  let isOfObject: Bool
  let file: UInt64
  let commitNumber: UInt64
}

extension TransactionContext {
  /// Returns the writer of a type's rows; nil before the transaction's first write to the type.
  fileprivate func writer(of entity: EntityDescription) -> RowWriter? {
    staged[TransactionEntities.self]?.rowWriter(of: entity)
  }

  fileprivate func rowid<Element: Atom>(of object: Element) throws -> Int64? {
    try rowid(of: object._identity, Element.self) { try EntityRows.find(keyOf: object, on: $0)?.rowid }
  }

  fileprivate func row<Element: Atom>(of object: Element, writtenBy writer: RowWriter?) throws -> FoundRow? {
    try row(of: object._identity, Element.self, writtenBy: writer) { connection in
      guard let encoding = writer?.writer else { return try EntityRows.find(keyOf: object, on: connection) }
      // The transaction's encoder has its memory already.
      try encoding.encode(object)
      let key = try encoding.withEncoded { try EntityRows.key(in: $0, of: Element._entity) }
      return try EntityRows.find(key, in: Element._entity, on: connection)
    }
  }

  // The parts that aren't generic, and therefore fast.

  private func rowid(
    of identity: EntityIdentity, _ type: any Atom.Type, byKey find: (Connection) throws -> Int64?
  ) throws -> Int64? {
    let entity = type._entity
    let found = try readRows(of: type, writtenBy: writer(of: entity)) { connection, number -> Int64? in
      guard let rowid = identity.row(on: connection, at: number, for: self) else { return try find(connection) }
      return try EntityRows.contains(rowid, in: entity, on: connection) ? rowid : nil
    }
    return found ?? nil
  }

  private func row(
    of identity: EntityIdentity, _ type: any Atom.Type, writtenBy writer: RowWriter?,
    byKey find: (Connection) throws -> (rowid: Int64, payload: [UInt8])?
  ) throws -> FoundRow? {
    let entity = type._entity
    let found = try readRows(of: type, writtenBy: writer) { connection, number -> FoundRow? in
      let file = connection.fileIdentity
      guard let rowid = identity.row(on: connection, at: number, for: self) else {
        return try find(connection).map {
          FoundRow(rowid: $0, bytes: $1, isOfObject: false, file: file, commitNumber: number)
        }
      }
      return try EntityRows.payload(of: rowid, in: entity, on: connection).map {
        FoundRow(rowid: rowid, bytes: $0, isOfObject: true, file: file, commitNumber: number)
      }
    }
    return found ?? nil
  }

  /// Runs a query on a type's rows. Throws unless the transaction has declared the type, and the program's schema of it
  /// fits the objects in the file. If there is a writer, the transaction's first write to the type has found out both,
  /// and no one else changes the file since.
  private func readRows<T>(
    of type: any Atom.Type, writtenBy writer: RowWriter?, _ body: (Connection, _ commitNumber: UInt64) throws -> T
  ) throws -> T? {
    if writer != nil { return try read(body) }
    try requireDeclared(.swift(type))
    return try readEntities(of: entityStorage) { connection, number in
      try SchemaCatalog.requireCompatibility(of: type._entity, on: connection)
      return try body(connection, number)
    }
  }

  /// Returns the identity of the object in a row that was just read.
  fileprivate func identity(of row: FoundRow, _ entity: EntityDescription) -> EntityIdentity {
    let origin =
      currentGroup.map { EntityOrigin(of: entity, in: self, $0) }
      ?? EntityOrigin(inFile: row.file, at: row.commitNumber)
    return origin.identity(of: row.rowid)
  }
}
