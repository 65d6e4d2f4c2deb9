import DflatBuffers
import DflatCore
import DflatSQLite

/// Changes of many rows, with one row in memory at a time.
extension TypedRowWriter {
  /// Deletes the rows that match the predicate, or all rows. Returns the number of deleted rows.
  func deleteAll(where predicate: QueryNode?) throws -> Int {
    guard table.exists else { return 0 }
    if predicate == nil, !table.changes.keepsContents { return try deleteEverything() }
    let rowids = try predicate.map { try evaluatedMatches($0) } ?? matches(nil)
    for rowid in rowids { try delete(rowid) }
    return rowids.count
  }

  /// Deletes all rows with one statement for each table. Only if contents aren't kept for live queries.
  private func deleteEverything() throws -> Int {
    try failing {
      let upkeep = try upkeep()
      var count = 0
      try completing {
        try connection.statement(entity.sql.deleteAll).run()
        count = connection.changedRows
        if count == 0 { return }
        for index in upkeep.indexes { try index.deleteAll() }
        for search in upkeep.searches { try search.deleteAll() }
        table.changes.noteUnknown()
      }
      try rows.keepPreparations()
      return count
    }
  }

  /// Changes the rows that match the predicate, or all rows. Changes none if one of them can't be changed.
  func updateAll(where predicate: QueryNode?, _ change: (inout Element._Builder) throws -> Void) throws -> Int {
    guard table.exists else { return 0 }
    let rowids = try matches(predicate)
    if rowids.isEmpty { return 0 }
    let unknownFields = try failing { try SchemaCatalog.requireCompatibility(of: entity, on: connection) }
    return try undoing {
      var count = 0
      for rowid in rowids {
        let changeCount = table.changes.changeCount
        // `change` may have deleted the row.
        guard let row = try row(rowid, unknownFields) else { continue }
        var values = Element._Builder(from: row.object)
        try change(&values)
        try transaction.requireRunning()
        _ = try update(row.object, StoredBytes(row.bytes, areCurrentEncoding: false), since: changeCount, to: values)
        count += 1
      }
      return count
    }
  }

  private func matches(_ predicate: QueryNode?) throws -> [Int64] {
    try failing {
      try EntityQuery<Element>(predicate).rowids(on: connection, storage: LazyEntityStorage(table.storage))
    }
  }

  /// Returns the rows whose bytes match the predicate, even if a lookup could decide it: an index has the values that an
  /// object had before it was damaged.
  private func evaluatedMatches(_ predicate: QueryNode) throws -> [Int64] {
    let condition = CompiledPredicate(predicate)
    return try failing {
      try EntityQuery<Element>(predicate).collect(
        on: connection, storage: LazyEntityStorage(table.storage), trustingLookups: true
      ) { rowid, bytes -> Int64? in
        try condition.matches(bytes) ? rowid : nil
      }.compactMap { $0 }
    }
  }

  /// Returns a row with its object; nil if there is none, or if it is damaged, also where only a newer program reads
  /// it.
  private func row(_ rowid: Int64, _ unknownFields: UnknownFields?) throws -> (object: Element, bytes: [UInt8])? {
    try failing {
      guard let bytes = try EntityRows.payload(of: rowid, in: entity, on: connection) else { return nil }
      do {
        let object = try bytes.withUnsafeBytes { bytes throws(FlatBufferError) in
          if let unknownFields { _ = try unknownFields.verified(bytes) }
          return try Element.stored(in: bytes, rows.identity(of: rowid))
        }
        return (object, bytes)
      } catch let error as FlatBufferError {
        // Skip the row, as queries do.
        table.storage.damage.report(error, rowid: rowid, of: entity)
        return nil
      }
    }
  }

  /// Runs `body` in a savepoint. If it throws, undoes everything that the transaction wrote in it, dictionary keys
  /// included.
  private func undoing<T>(_ body: () throws -> T) throws -> T {
    let undo = transaction.staged.undoPoint()
    try failing { try connection.open(.bulk) }
    do {
      let result = try body()
      try failing { try connection.release(.bulk) }
      return result
    } catch {
      // A transaction that failed or was aborted is undone as a whole.
      if (try? transaction.requireRunning()) != nil {
        try failing {
          try connection.rollBack(.bulk)
          // Values that are undone are destroyed here. Their deinitializers must not use the transaction (A11).
          ThreadContext.with(transaction.core, .encoding) { undo(&transaction.staged) }
        }
      }
      throw error
    }
  }
}

extension Savepoint {
  fileprivate static let bulk = Savepoint("bulk")
}
