package import DflatCore
import DflatSupport

/// Writes objects of a type without generated code in a transaction, as requests do for one with generated code: keys,
/// indexes, unique fields and full-text indexes are kept up, and observers receive the changes.
///
///     try workspace.transactAndWait(declaring: [type]) { transaction in
///       try DescribedWriter(type, in: transaction).insert(bytes)
///     }
///
/// Use it in the transaction's closure, on its thread. It throws and blocks as ``TransactionContext/submit(_:)-(T)``
/// does. The bytes must be objects that the type's schema verifies.
package struct DescribedWriter {
  private let rows: RowWriter

  /// - Throws: ``/DflatCore/WorkspaceError`` with code `.schemaVersionMismatch` if the file has another schema than the
  ///   type's, because another program has stored one meanwhile. Objects may have fields that the type lacks, and its
  ///   indexes may be others.
  package init(_ type: DescribedType, in transaction: TransactionContext) throws {
    rows = try transaction.rowWriter(of: .described(type), storage: transaction.entityStorage)
    do {
      guard let schema = type.entity.schema, try SchemaList.contains(schema, on: rows.connection) else {
        throw WorkspaceError(
          .schemaVersionMismatch,
          "Another program has stored another schema of \(type.name) in '\(transaction.core.path)'; read it, and try "
            + "again.", path: transaction.core.path)
      }
    } catch { throw rows.failed(error) }
  }

  package func insert(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try rows.createTable()
      try rows.insert(try rows.nextIdentity().rowid, bytes, nil)
    } catch { throw rows.failed(error) }
  }

  /// Replaces the object with the same primary key, or inserts the object if there is none.
  package func upsert(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try rows.createTable()
      let key = try EntityRows.key(in: bytes, of: rows.entity)
      if let (rowid, old) = try EntityRows.find(key, in: rows.entity, on: rows.connection) {
        if old.withUnsafeBytes({ $0.isSame(as: bytes) }) { return try rows.keepPreparations() }
        return try rows.update(rowid, bytes, nil, from: StoredEntity(bytes: old, object: nil))
      }
    } catch { throw rows.failed(error) }
    try insert(bytes)
  }

  /// Replaces an object, of which the row and the bytes were read in this transaction.
  package func update(_ rowid: Int64, from old: [UInt8], to bytes: UnsafeRawBufferPointer) throws {
    do { try rows.update(rowid, bytes, nil, from: StoredEntity(bytes: old, object: nil)) } catch {
      throw rows.failed(error)
    }
  }

  package func delete(_ rowid: Int64) throws {
    do { try rows.delete(rowid) } catch { throw rows.failed(error) }
  }
}

extension SQLiteWorkspace {
  /// Runs a transaction that declares types without generated code, as ``transactAndWait(_:_:)`` does.
  package func transactAndWait<T>(
    declaring types: [DescribedType], _ body: (TransactionContext) throws -> T
  ) throws -> T {
    try core.performAndWait(declaring: types.map(\.entity.lane), body)
  }
}
