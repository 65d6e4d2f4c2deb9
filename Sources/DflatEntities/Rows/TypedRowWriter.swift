import DflatBuffers
import DflatCore
import DflatSQLite

/// Writes objects of one type in a transaction. It has only the code that needs the type: generic code that can't be
/// specialized, as here, is slow. The rest is in `RowWriter`.
struct TypedRowWriter<Element: Atom> {
  let rows: RowWriter

  var transaction: TransactionContext { rows.transaction }
  var group: Group { rows.group }
  var table: TransactionTable { rows.table }
  var entity: EntityDescription { rows.entity }
  var connection: Connection { rows.connection }

  /// Joins the group, unless the transaction has already joined it.
  ///
  /// - Parameter storage: The workspace's storage, evaluated at the transaction's first write to the table.
  init(_ transaction: TransactionContext, storage: @autoclosure () -> EntityStorage) throws {
    rows = try transaction.rowWriter(of: .swift(Element.self), storage: storage())
  }

  /// Inserts an object with these fields.
  func insert(_ values: Element._Builder) throws -> Element {
    do {
      try rows.createTable()
      let object = values.build(identity: try rows.nextIdentity())
      try encode(object)
      defer { rows.writer.trim() }
      try rows.writer.withEncoded { try rows.insert(object._rowid, $0, object) }
      return object
    } catch { throw rows.failed(error) }
  }

  /// Replaces the fields of an object whose bytes were `payload` after `changeCount` changes of the table.
  func update(
    _ old: Element, _ payload: StoredBytes, since changeCount: Int, to values: Element._Builder
  ) throws -> UpdatedObject<Element> {
    do {
      let rowid = old._rowid
      let bytes = payload.bytes
      try rows.requireUnchanged(rowid, bytes, since: changeCount)
      let object = values.build(identity: rows.identity(of: rowid))
      try encode(object)
      defer { rows.writer.trim() }
      // Bytes that this program's encoding would replace by the same ones need no second encoding to compare with.
      if rows.writer.hasEncoded(bytes) { return .identity(old) }
      if !payload.areCurrentEncoding, try isIdentical(to: old) { return .identity(old) }
      // Bytes that are this program's own encoding have nothing else in them.
      if !payload.areCurrentEncoding { try rows.keepUnknownFields(of: bytes, in: rowid) }
      try update(object, from: StoredEntity(bytes: bytes, object: old))
      return .updated(object)
    } catch { throw rows.failed(error) }
  }

  /// Replaces the object's row, or else the row with the same primary key. Inserts a row if there is neither.
  func upsert(_ identity: EntityIdentity, _ values: Element._Builder) throws -> UpdatedObject<Element> {
    do {
      try rows.createTable()
      if let rowid = rows.row(of: identity), let payload = try rows.payload(of: rowid) {
        return try replace(rowid, payload, by: values)
      }
      try encode(values.build(identity: .unsaved))
      let key = try rows.writer.withEncoded { try EntityRows.key(in: $0, of: entity) }
      if let (rowid, payload) = try EntityRows.find(key, in: entity, on: connection) {
        return try replace(rowid, payload, by: values)
      }
    } catch { throw rows.failed(error) }
    return .inserted(try insert(values))
  }

  private func replace(
    _ rowid: Int64, _ payload: [UInt8], by values: Element._Builder
  ) throws -> UpdatedObject<Element> {
    let object = values.build(identity: rows.identity(of: rowid))
    try encode(object)
    defer { rows.writer.trim() }
    if rows.writer.hasEncoded(payload) {
      try rows.keepPreparations()
      return .identity(object)
    }
    // If no field differs, keep the bytes: another version of the schema may have written fields that this one doesn't
    // know.
    let old = try? payload.withUnsafeBytes { bytes throws(FlatBufferError) in
      try Element.stored(in: bytes, object._identity)
    }
    if let old, try isIdentical(to: old) {
      try rows.keepPreparations()
      return .identity(old)
    }
    do { try rows.keepUnknownFields(of: payload, in: rowid) } catch let error as WorkspaceError
      where error.code == .undecodable
    {
      // The fields that only a newer program knows can't be copied. The object is replaced as a whole.
      table.storage.damage.report(error.underlying ?? error, rowid: rowid, of: entity)
    }
    try update(object, from: StoredEntity(bytes: payload, object: nil))
    return .updated(object)
  }

  /// Deletes an object's row or, if that is unknown, the row with its primary key.
  func delete(_ object: Element) throws {
    if let rowid = rows.row(of: object._identity) { return try delete(rowid) }
    do {
      guard let found = try EntityRows.find(keyOf: object, on: connection) else { throw rows.notFound }
      try rows.delete(found.rowid)
    } catch { throw rows.failed(error) }
  }

  /// Deletes a row.
  func delete(_ rowid: Int64) throws {
    do { try rows.delete(rowid) } catch { throw rows.failed(error) }
  }

  private func encode(_ object: Element) throws { try rows.writer.encode(object) }

  /// Replaces an object's row by the object, which was encoded last.
  private func update(_ object: Element, from old: StoredEntity) throws {
    try rows.writer.withEncoded { try rows.update(object._rowid, $0, object, from: old) }
  }

  /// Returns true if the last encoded object has the same fields as `old`. The stored bytes may differ nevertheless, if
  /// another version of the schema wrote them; then nothing is written either.
  private func isIdentical(to old: Element) throws -> Bool {
    // `==` would be wrong: NaN differs from itself, and equal values may be encoded differently: 0 and -0, two
    // spellings of a text.
    return try rows.writer.withEncoded { old.isEncoded(as: $0) }
  }

  // MARK: Bulk changes

  /// Runs a part of a submission. An error fails the transaction unless it only refuses a change.
  func failing<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw rows.failed(error) }
  }

  /// Runs a step that must not be left half done: any error fails the transaction.
  func completing(_ body: () throws -> Void) throws { try rows.completing(body) }

  func upkeep() throws -> TableUpkeep { try rows.upkeep() }
}
