import DflatBuffers
import DflatSQLite

/// Writes rows of one type in a transaction, with their indexes, and notes what changed.
///
/// What can be refused is refused before anything of a row is written. An error of SQLite's after that fails the transaction,
/// so that nothing is ever half applied.
struct EntityWriting<Element: Atom> {
  let transaction: TransactionContext
  let group: Group
  let table: TransactionTable
  private let writer: EntityWriter

  var entity: EntityDescription { Element._entity }
  var connection: Connection { group.connection }

  /// Joins the group, unless the transaction has.
  init(_ transaction: TransactionContext) throws {
    try transaction.requireDeclared(Element.self)
    self.transaction = transaction
    group = try transaction.joinedGroup()
    writer = EntityStore.of(transaction.core).writer
    do { table = try transaction.table(Element._entity, in: group) } catch {
      throw transaction.failing(error, about: Element.self)
    }
  }

  // MARK: Submissions

  /// Inserts an object with these fields.
  func insert(_ values: Element._Builder) throws -> Element {
    try failing {
      try createTable()
      let object = values.build(identity: identity(of: try writer.nextRowid(in: table, path: transaction.core.path)))
      try writer.withBytes(of: object) { bytes in try insert(object, bytes) }
      return object
    }
  }

  /// Replaces the fields of an object that was read after `stamp` submissions to the table.
  func update(_ row: StoredRow<Element>, since stamp: Int, to values: Element._Builder) throws -> UpdatedObject<Element>
  {
    try failing {
      switch table.changes.fate(of: row.rowid, since: stamp) {
      case .unchanged: break
      case .changed: throw outdated
      case .gone: throw notFound
      case .unknown:
        guard let now = try EntityRows.payload(of: row.rowid, in: entity, on: connection) else { throw notFound }
        if now != row.bytes { throw outdated }
      }
      let object = values.build(identity: identity(of: row.rowid))
      return try writer.withBytes(of: object) { bytes in
        if try isIdentical(bytes, to: row, object) { return .identity(row.object) }
        try update(object, bytes, from: StoredEntity(bytes: row.bytes, object: row.object))
        return .updated(object)
      }
    }
  }

  /// Replaces the row, or else the row with the primary key of the fields, or inserts one.
  func upsert(rowid: Int64, _ values: Element._Builder) throws -> UpdatedObject<Element> {
    try failing {
      try createTable()
      if rowid >= 0, let payload = try EntityRows.payload(of: rowid, in: entity, on: connection) {
        return try replace(rowid, payload, by: values)
      }
      let key = try writer.withBytes(of: values.build(identity: .unsaved)) { try EntityRows.key(in: $0, of: entity) }
      if let (rowid, payload) = try EntityRows.find(key, in: entity, on: connection) {
        return try replace(rowid, payload, by: values)
      }
      return .inserted(try insert(values))
    }
  }

  private func replace(
    _ rowid: Int64, _ payload: [UInt8], by values: Element._Builder
  ) throws -> UpdatedObject<Element> {
    let object = values.build(identity: identity(of: rowid))
    return try writer.withBytes(of: object) { bytes in
      if bytes.isSame(as: payload) { return .identity(object) }
      try update(object, bytes, from: StoredEntity(bytes: payload, object: nil))
      return .updated(object)
    }
  }

  /// Deletes the row that an object is in, or, if it was never stored, that has its primary key.
  func delete(_ object: Element) throws {
    var rowid = object._rowid
    if rowid < 0 {
      guard let found = try failing({ try EntityRows.find(object, on: connection) }) else { throw notFound }
      rowid = found.rowid
    }
    try delete(rowid)
  }

  /// Deletes a row.
  func delete(_ rowid: Int64) throws {
    try failing {
      guard table.exists else { throw notFound }
      let old = table.changes.keepsContents ? try EntityRows.payload(of: rowid, in: entity, on: connection) : nil
      let statement = try connection.statement(entity.sql.delete)
      statement.bind(rowid, at: 1)
      try statement.run()
      guard connection.changedRows > 0 else { throw notFound }
      try completing {
        for index in try indexes() { try index.delete(rowid) }
      }
      table.changes.note(rowid, existed: true, exists: false) {
        (old.map { StoredEntity(bytes: $0, object: nil) }, nil)
      }
    }
  }

  // MARK: Rows

  private func insert(_ object: Element, _ bytes: UnsafeRawBufferPointer) throws {
    let rowid = object._rowid
    let indexes = try indexes()
    let (key, values) = try FlatBuffer.withUnverifiedRoot(in: bytes) { root in
      (
        try entity.primaryKey.map { try $0.path.storedValue(in: root) },
        try indexes.map { try $0.path.storedValue(in: root) }
      )
    }
    for (index, value) in zip(indexes, values) { try refuseDuplicate(of: value, in: index, key, except: rowid) }
    try run(entity.sql.insert, rowid, key, bytes)
    try completing {
      for (index, value) in zip(indexes, values) { try index.insert(rowid, value) }
    }
    table.changes.note(rowid, existed: false, exists: true) {
      (nil, StoredEntity(bytes: Array(bytes), object: object))
    }
  }

  private func update(_ object: Element, _ bytes: UnsafeRawBufferPointer, from old: StoredEntity) throws {
    let rowid = object._rowid
    let changed = try FlatBuffer.withUnverifiedRoot(in: bytes) { root in
      // Old bytes that can't be read count as those of other values.
      try indexes().compactMap { index -> (MaintainedIndex, QueryValue)? in
        let value = try index.path.storedValue(in: root)
        return value.isStored(as: old.value(of: index.path)) ? nil : (index, value)
      }
    }
    let key = try EntityRows.key(in: bytes, of: entity)
    let keepsKey = zip(key, entity.primaryKey).allSatisfy { $0.isStored(as: old.value(of: $1.path)) }
    for (index, value) in changed { try refuseDuplicate(of: value, in: index, key, except: rowid) }
    try run(keepsKey ? entity.sql.updatePayload : entity.sql.updateRow, rowid, keepsKey ? [] : key, bytes)
    guard connection.changedRows > 0 else { throw notFound }
    try completing {
      for (index, value) in changed { try index.update(rowid, to: value) }
    }
    table.changes.note(rowid, existed: true, exists: true) {
      (old, StoredEntity(bytes: Array(bytes), object: object))
    }
  }

  /// Runs a statement that writes a row.
  private func run(_ sql: SQL, _ rowid: Int64, _ key: [QueryValue], _ bytes: UnsafeRawBufferPointer) throws {
    let statement = try connection.statement(sql)
    statement.bind(rowid, at: 1)
    for (index, value) in key.enumerated() { try ColumnValue.bind(value, to: statement, at: Int32(index) + 2) }
    do {
      try statement.withBound(blob: bytes, at: Int32(key.count) + 2) { try statement.run() }
    } catch let error as SQLiteError where error.isUniqueViolation {
      throw keyExists
    }
  }

  /// Refuses a value that another row has. Where the primary key is there too, that is what is named.
  private func refuseDuplicate(
    of value: QueryValue, in index: MaintainedIndex, _ key: [QueryValue], except rowid: Int64
  ) throws {
    guard index.isUnique, try index.hasDuplicate(of: value, except: rowid) else { return }
    if let found = try EntityRows.find(key, in: entity, on: connection), found.rowid != rowid { throw keyExists }
    throw alreadyExists(index.field?.name ?? index.path.name)
  }

  private func createTable() throws {
    if table.exists { return }
    try completing { try writer.create(table, on: connection) }
  }

  func indexes() throws -> [MaintainedIndex] {
    if let found = table.indexes, found.entity === entity { return found.all }
    let found = try IndexCatalog.maintained(of: entity, on: connection, core: transaction.core)
    table.indexes = (entity, found)
    return found
  }

  private func identity(of rowid: Int64) -> EntityIdentity {
    EntityIdentity(rowid: rowid, commitNumber: group.commitNumber)
  }

  /// Bytes that another version of the schema wrote may differ where no field does: then nothing is written either.
  private func isIdentical(
    _ bytes: UnsafeRawBufferPointer, to row: StoredRow<Element>, _ object: Element
  ) throws -> Bool {
    if bytes.isSame(as: row.bytes) { return true }
    guard object == row.object else { return false }
    // What is equal may be written otherwise: 0 and -0, two spellings of a text.
    return try SpareBuilder.with { builder throws(FlatBufferError) in
      try row.object.encode(in: &builder)
      return builder.withFinishedBytes { $0.elementsEqual(bytes) }
    }
  }
}

extension StoredEntity {
  /// Nil when the bytes can't be read.
  fileprivate func value(of path: FieldPath) -> QueryValue? {
    try? bytes.withUnsafeBytes { bytes in
      try FlatBuffer.withUnverifiedRoot(in: bytes) { root in try path.storedValue(in: root) }
    }
  }
}

// MARK: Errors

extension EntityWriting {
  /// Runs a submission. An error of SQLite's fails the transaction; what is refused leaves it as it was.
  func failing<T>(_ body: () throws -> T) throws -> T {
    do {
      return try group.reading { _ in try body() }
    } catch { throw transaction.failing(error, about: Element.self) }
  }

  /// Runs what must not be left halfway: any error fails the transaction.
  func completing(_ body: () throws -> Void) throws {
    do { try body() } catch {
      let wrapped = WorkspaceError.wrapping(error, path: transaction.core.path, doing: "Writing to")
      transaction.fail(wrapped)
      throw wrapped
    }
  }

  private var keyExists: WorkspaceError { alreadyExists(entity.primaryKey.map(\.name).joined(separator: ", ")) }

  private func alreadyExists(_ field: String) -> WorkspaceError {
    WorkspaceError(
      .objectAlreadyExists,
      "A \(Element.self) with the same \(field) is in '\(transaction.core.path)' already; change that one, or use another "
        + "value.", path: transaction.core.path, field: field)
  }

  private var notFound: WorkspaceError { .objectNotFound(Element.self, path: transaction.core.path) }

  private var outdated: WorkspaceError {
    WorkspaceError(
      .outdatedRequest,
      "A \(Element.self) was changed in its transaction on '\(transaction.core.path)' after the request to change it was "
        + "made; make the request after the other one was submitted.", path: transaction.core.path)
  }
}

extension WorkspaceError {
  static func objectNotFound(_ type: Any.Type, path: String) -> WorkspaceError {
    WorkspaceError(
      .objectNotFound, "The \(type) is not in '\(path)', or not any more; insert it, or use upsert.", path: path)
  }
}

extension TransactionContext {
  /// An error in the words of this package. The transaction ends with it, if it is one of SQLite's.
  func failing(_ error: any Error, about type: Any.Type) -> WorkspaceError {
    switch error {
    case let error as WorkspaceError: return error
    case let error as FlatBufferError:
      return WorkspaceError(
        .unencodable, "A \(type) can't be written as FlatBuffers; it may be too large or nested too deeply.",
        path: core.path, underlying: error)
    default:
      let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Writing to")
      // Refused before anything was written.
      if wrapped.code != .tooLarge { fail(wrapped) }
      return wrapped
    }
  }
}

extension QueryValue {
  /// True when both stand in a column alike: as `==`, but NaN is NaN, and -0 is not 0.
  func isStored(as other: QueryValue?) -> Bool {
    if case .real(let value) = self, case .real(let other)? = other {
      return value.isNaN ? other.isNaN : value.bitPattern == other.bitPattern
    }
    return self == other
  }
}
