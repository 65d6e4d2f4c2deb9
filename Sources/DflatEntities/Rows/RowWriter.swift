import DflatBuffers
import DflatCore
import DflatSQLite

/// Writes a type's rows in a transaction, with their indexes, and notes the changes. It works on encoded bytes.
///
/// It refuses a change before it writes any part of the row. A later SQLite error fails the transaction, so no change
/// is ever half applied.
final class RowWriter {
  /// The transaction. It owns the writer, and releases it when it ends.
  let transaction: TransactionContext
  let group: Group
  let table: TransactionTable
  let writer: EncodingState
  let entity: EntityDescription
  /// The type, for messages.
  let type: ObjectType

  var connection: Connection { group.connection }

  /// The state before the preparations of the write in progress; nil without preparations.
  private var unprepared: Unprepared?

  private struct Unprepared {
    let table: TransactionEntities.Mark
    let lists: ListsMark
  }

  /// - Parameters:
  ///   - group: The group that the transaction has joined.
  ///   - table: The transaction's state for the type's table.
  init(_ type: ObjectType, in transaction: TransactionContext, _ group: Group, table: TransactionTable) {
    self.transaction = transaction
    self.group = group
    self.table = table
    self.type = type
    entity = type.entity
    writer = table.storage.writer
  }

  // MARK: Tables

  func createTable() throws {
    if table.exists { return }
    try prepare()
    try completing { try writer.create(table, on: connection) }
  }

  /// Returns what a write to the table has to keep up. The first call in a transaction also stores the program's
  /// schema, if it is newer than the file's.
  func upkeep() throws -> TableUpkeep {
    if table.searches > TransactionTable.maximumSearches { try fillUniqueIndexes() }
    if let found = table.upkeep, found.entity === entity { return found }
    let upkeep = try TableUpkeep.known(for: entity, on: connection) ?? makeUpkeep()
    table.upkeep = upkeep
    return upkeep
  }

  private func makeUpkeep() throws -> TableUpkeep {
    try prepare()
    let unknownFields = try SchemaCatalog.store(entity, on: connection)
    let path = transaction.core.path
    let kept = try IndexCatalog.maintained(of: entity, on: connection, path: path, filling: table.storage.filling)
    let searches = try IndexCatalog.maintainedSearches(over: kept.searches, of: entity, on: connection, path: path)
    let made = TableUpkeep(entity: entity, indexes: kept.indexes, searches: searches, unknownFields: unknownFields)
    // While an index is unfinished, each transaction asks for its completion.
    if kept.unfinished.isEmpty { made.remember(on: connection) }
    return made
  }

  private func fillUniqueIndexes() throws {
    table.searches = 0
    table.upkeep = nil
    for index in entity.indexes where index.isUnique {
      try IndexFill.complete(.init(entity: entity, index: index), in: group, reportingTo: table.storage.damage)
    }
  }

  // MARK: Preparations

  /// Begins to prepare the first write to a table: what the file lacks for it, such as the table, the schema or a unique
  /// index, is in a savepoint until the row is written, so that nothing is left of a refused write.
  private func prepare() throws {
    if unprepared != nil { return }
    try completing {
      try IndexCatalog.removeLeftovers(of: entity, isNew: !table.exists, on: connection)
      try connection.open(.preparations)
    }
    unprepared = Unprepared(table: table.mark, lists: .of(connection))
  }

  /// Keeps the preparations, if there are any, because the write has taken effect.
  func keepPreparations() throws {
    if unprepared == nil { return }
    unprepared = nil
    try completing { try connection.release(.preparations) }
  }

  /// Undoes the preparations, if there are any, because the write is refused.
  private func undoPreparations() {
    guard let unprepared else { return }
    self.unprepared = nil
    // Usually the file lacks nothing. A rollback would only drop what the next writes need to know of the file's lists.
    let hasChanges = table.exists != unprepared.table.exists || ListsMark.of(connection) !== unprepared.lists
    // An error fails the transaction.
    try? completing {
      guard hasChanges else { return try connection.release(.preparations) }
      try connection.rollBack(.preparations)
      table.rollBack(to: unprepared.table)
    }
  }

  // MARK: Identities

  func nextIdentity() throws -> EntityIdentity {
    let rowid = try writer.nextRowid(in: table, path: transaction.core.path)
    let insertion = transaction.entities.insertion(in: transaction.workspace.number)
    table.note(insertion, of: rowid)
    return identity(of: rowid, insertion)
  }

  func identity(of rowid: Int64) -> EntityIdentity {
    if rowid <= table.lastCommitted { return identity(of: rowid, nil) }
    return identity(of: rowid, table.insertion(of: rowid) ?? group.entities.anyInsertion)
  }

  private func identity(of rowid: Int64, _ insertion: EntityInsertion?) -> EntityIdentity {
    EntityIdentity(
      rowid: rowid, commitNumber: group.commitNumber, file: connection.fileIdentity, insertion: insertion)
  }

  /// Returns the row of an object, or nil if only the primary key can identify the object.
  func row(of identity: EntityIdentity) -> Int64? {
    identity.row(on: connection, at: group.commitNumber, for: transaction)
  }

  /// Throws unless a row is unchanged since it was read, with these bytes, after `changeCount` changes of the table.
  func requireUnchanged(_ rowid: Int64, _ bytes: [UInt8], since changeCount: Int) throws {
    switch table.changes.fate(of: rowid, since: changeCount) {
    case .unchanged: break
    case .changed: throw outdated
    case .gone: throw notFound
    case .unknown:
      guard let now = try payload(of: rowid) else { throw notFound }
      if now != bytes { throw outdated }
    }
  }

  func payload(of rowid: Int64) throws -> [UInt8]? {
    try EntityRows.payload(of: rowid, in: entity, on: connection)
  }

  // MARK: Rows

  /// Inserts an object.
  ///
  /// - Parameters:
  ///   - rowid: The new row.
  ///   - bytes: The encoded object.
  ///   - object: The decoded object, if there is one.
  func insert(_ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ object: (any Atom)?) throws {
    let root = try FlatBufferTable(rootOf: bytes)
    let upkeep = try upkeep()
    let indexes = upkeep.indexes
    let values = try indexes.values(in: root)
    try indexes.forEach(with: values) { try refuseDuplicate(of: $1, in: $0, root, except: rowid) }
    try run(entity.sql.insert, rowid, keyOf: root, bytes)
    try completing {
      try indexes.forEach(with: values) { try $0.insert(rowid, $1) }
      for search in upkeep.searches { try search.store(rowid, root) }
    }
    try keepPreparations()
    table.changes.note(rowid, existed: false, exists: true) {
      (nil, StoredEntity(bytes: Array(bytes), object: object))
    }
  }

  /// Adds to the last encoded object what a stored one has and the program's schema lacks, if the file's schema is
  /// newer.
  ///
  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.undecodable` if the stored object isn't one of the newer
  ///   schema; `FlatBufferError` if the object becomes too large.
  func keepUnknownFields(of payload: [UInt8], in rowid: Int64) throws {
    guard let unknownFields = try upkeep().unknownFields else { return }
    try payload.withUnsafeBytes { bytes in
      let stored: FlatBufferTable
      do { stored = try unknownFields.verified(bytes) } catch {
        throw WorkspaceError.undecodable(error, rowid: rowid, table: entity.table, path: transaction.core.path)
      }
      try writer.keep(unknownFields, of: stored)
    }
  }

  /// Replaces a row's contents.
  ///
  /// - Parameters:
  ///   - rowid: The row.
  ///   - bytes: The encoded object.
  ///   - object: The decoded object, if there is one.
  ///   - old: The row's contents.
  func update(
    _ rowid: Int64, _ bytes: UnsafeRawBufferPointer, _ object: (any Atom)?, from old: StoredEntity
  ) throws {
    let root = try FlatBufferTable(rootOf: bytes)
    let upkeep = try upkeep()
    // Find the key columns and indexes whose values change.
    let differing = old.bytes.withUnsafeBytes { bytes in
      let old = try? FlatBufferTable(rootOf: bytes)
      return (
        keys: !entity.keyReaders.allSatisfy { $0.isSame(in: root, as: old) },
        indexes: upkeep.indexes.filter { !$0.readers.allSatisfy { $0.isSame(in: root, as: old) } },
        searches: upkeep.searches.filter { !$0.reader.readers.allSatisfy { $0.isSame(in: root, as: old) } }
      )
    }
    // Refuse duplicates before anything is written.
    let values = try differing.indexes.values(in: root)
    try differing.indexes.forEach(with: values) { try refuseDuplicate(of: $1, in: $0, root, except: rowid) }
    // Write the row, then its indexes.
    if differing.keys {
      try run(entity.sql.updateRow, rowid, keyOf: root, bytes)
    } else {
      try run(entity.sql.updatePayload, rowid, keyOf: nil, bytes)
    }
    guard connection.changedRows > 0 else { throw notFound }
    try completing {
      try differing.indexes.forEach(with: values) { try $0.update(rowid, to: $1) }
      for search in differing.searches { try search.store(rowid, root) }
    }
    try keepPreparations()
    table.changes.note(rowid, existed: true, exists: true) {
      (old, StoredEntity(bytes: Array(bytes), object: object))
    }
  }

  func delete(_ rowid: Int64) throws {
    guard table.exists else { throw notFound }
    let old = table.changes.keepsContents ? try payload(of: rowid) : nil
    // Throws before anything is written if an index can't be maintained.
    let upkeep = try upkeep()
    let statement = try connection.statement(entity.sql.delete)
    statement.bind(rowid, at: 1)
    try statement.run()
    guard connection.changedRows > 0 else { throw notFound }
    try completing {
      for index in upkeep.indexes { try index.delete(rowid) }
      for search in upkeep.searches { try search.delete(rowid) }
    }
    try keepPreparations()
    table.changes.note(rowid, existed: true, exists: false) {
      (old.map { StoredEntity(bytes: $0, object: nil) }, nil)
    }
  }

  /// Runs a statement that writes a row, with its key columns unless `root` is nil.
  private func run(_ sql: SQL, _ rowid: Int64, keyOf root: FlatBufferTable?, _ bytes: UnsafeRawBufferPointer) throws {
    let statement = try connection.statement(sql)
    statement.bind(rowid, at: 1)
    var column: Int32 = 2
    if let root {
      for reader in entity.keyReaders {
        try ColumnValue.bind(reader, of: root, to: statement, at: column)
        column += 1
      }
    }
    do { try statement.withBound(blob: bytes, at: column) { try statement.run() } } catch let error as SQLiteError
      where error.isUniqueViolation
    {
      throw keyExists
    }
  }
}

// MARK: Errors

extension RowWriter {
  /// Returns the error as a `WorkspaceError`, and fails the transaction unless the error only refuses a change. Nothing
  /// is left of a refused one.
  func failed(_ error: any Error) -> WorkspaceError {
    group.note(error)
    let failure = transaction.failing(error, about: type)
    undoPreparations()
    return failure
  }

  /// Runs a step that must not be left half done: any error fails the transaction.
  func completing(_ body: () throws -> Void) throws {
    do { try body() } catch {
      group.note(error)
      let wrapped = WorkspaceError.wrapping(error, path: transaction.core.path, doing: "Writing to")
      transaction.fail(wrapped)
      throw wrapped
    }
  }

  var keyExists: WorkspaceError { alreadyExists(entity.primaryKey.map(\.name).joined(separator: ", ")) }

  func alreadyExists(_ field: String) -> WorkspaceError {
    WorkspaceError(
      .objectAlreadyExists,
      "'\(transaction.core.path)' already contains an object of \(type) with the same \(field); change that one, or use "
        + "another value.", path: transaction.core.path, field: field)
  }

  var notFound: WorkspaceError { .objectNotFound(type, path: transaction.core.path) }

  private var outdated: WorkspaceError {
    WorkspaceError(
      .outdatedRequest,
      "An object of \(type) was changed in its transaction on '\(transaction.core.path)' after the request to change it was "
        + "made; make the request after the other one is submitted.", path: transaction.core.path)
  }
}

/// Stands for the state of the file's lists of schemas and indexes: every change of a list drops a connection's schema cache,
/// and with it this object.
private final class ListsMark {
  static func of(_ connection: Connection) -> ListsMark { connection.schemaCache.state(orAdding: ListsMark()) }
}

extension Savepoint {
  fileprivate static let preparations = Savepoint("preparations")
}

extension WorkspaceError {
  /// True if the error refuses a submission before any part of it is written, so that the transaction can continue. The
  /// documentation of `TransactionContext.submit` lists these codes.
  fileprivate var isRefusal: Bool {
    switch code {
    case .objectAlreadyExists, .objectNotFound, .outdatedRequest, .invalidRequest, .undeclaredType, .undecodable,
      .unencodable, .tooLarge, .newerFormat, .searchUnavailable:
      true
    default: false
    }
  }

  static func objectNotFound(_ type: Any, path: String) -> WorkspaceError {
    WorkspaceError(
      .objectNotFound, "The \(type) doesn't exist in '\(path)', or was deleted; insert it, or use upsert.", path: path)
  }
}

extension TransactionContext {
  /// Returns the error as a `WorkspaceError`, and fails the transaction unless the error only refuses a change.
  func failing(_ error: any Error, about type: Any) -> WorkspaceError {
    if let error = error as? FlatBufferError {
      return WorkspaceError(
        .unencodable, "A \(type) can't be written as FlatBuffers; it may be too large or nested too deeply.",
        path: core.path, underlying: error)
    }
    let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Writing to")
    if !wrapped.isRefusal { fail(wrapped) }
    return wrapped
  }
}
