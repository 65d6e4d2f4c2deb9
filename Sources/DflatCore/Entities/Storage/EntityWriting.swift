import DflatBuffers
import DflatSQLite

/// Writes objects of one type in a transaction. Only what needs the type is in here: generic code is slow where it can't be
/// specialised, and here it can't.
struct EntityWriting<Element: Atom> {
  let rows: RowWriter

  var transaction: TransactionContext { rows.transaction }
  var group: Group { rows.group }
  var table: TransactionTable { rows.table }
  var entity: EntityDescription { rows.entity }
  var connection: Connection { rows.connection }

  /// Joins the group, unless the transaction has.
  init(_ transaction: TransactionContext) throws {
    rows = try RowWriter(Element.self, Element._entity, in: transaction)
  }

  /// Inserts an object with these fields.
  func insert(_ values: Element._Builder) throws -> Element {
    do {
      try rows.createTable()
      let object = values.build(identity: try rows.nextIdentity())
      try encode(object)
      defer { rows.writer.trim() }
      try rows.insert(object)
      return object
    } catch { throw rows.failed(error) }
  }

  /// Replaces the fields of an object, of which `payload` was stored after `stamp` submissions to the table.
  func update(
    _ old: Element, _ payload: StoredBytes, since stamp: Int, to values: Element._Builder
  ) throws -> UpdatedObject<Element> {
    do {
      let rowid = old._rowid
      let bytes = payload.bytes
      try rows.requireUnchanged(rowid, bytes, since: stamp)
      let object = values.build(identity: rows.identity(of: rowid))
      try encode(object)
      defer { rows.writer.trim() }
      let isIdentical =
        try payload.areOfThisSchema ? rows.writer.hasEncoded(bytes) : isIdentical(to: old)
      if isIdentical { return .identity(old) }
      try rows.update(object, from: StoredEntity(bytes: bytes, object: old))
      return .updated(object)
    } catch { throw rows.failed(error) }
  }

  /// Replaces the object's row, or else the row with the primary key of the fields, or inserts one.
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
    if rows.writer.hasEncoded(payload) { return .identity(object) }
    // Bytes of another schema's version, whose fields this one doesn't know, stay where nothing differs.
    let old = try? payload.withUnsafeBytes { bytes throws(FlatBufferError) in
      try Element.stored(in: bytes, object._identity)
    }
    if let old, try isIdentical(to: old) { return .identity(old) }
    try rows.update(object, from: StoredEntity(bytes: payload, object: nil))
    return .updated(object)
  }

  /// Deletes the row that an object is in, or, where its row is not known, that has its primary key.
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

  /// True if the object that was encoded last has the fields of another. Its bytes may differ from stored ones that another
  /// version of the schema wrote: then nothing is written either.
  private func isIdentical(to old: Element) throws -> Bool {
    // Not by `==`: NaN differs from itself, and what is equal may be written otherwise: 0 and -0, two spellings of a text.
    return try rows.writer.withEncoded { old.isEncoded(as: $0) }
  }

  // MARK: For changes of many objects

  /// Runs a part of a submission. An error of SQLite's fails the transaction; what is refused leaves it as it was.
  func failing<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw rows.failed(error) }
  }

  /// Runs what must not be left halfway: any error fails the transaction.
  func completing(_ body: () throws -> Void) throws { try rows.completing(body) }

  func indexes() throws -> [MaintainedIndex] { try rows.indexes() }
}
