import DflatBuffers
import DflatSQLite

/// A full-text index of the file that a writer maintains. Like the index of one field, it has one row for each row of
/// its table, and may get rows before it is filled up to them. Used with the write token, inside a group.
final class MaintainedSearch {
  let reader: SearchReader
  private let name: String
  private let storing, deleting, deletingAll: String
  /// The connection's admissions at the time when the index's tables were last checked.
  private var admissions: Int?
  /// Unowned because the transaction or fill that owns this object uses the connection.
  private unowned let connection: Connection

  init(_ fields: SearchFields, of table: String, on connection: Connection) {
    reader = SearchReader(fields.paths)
    let sql = SearchSQL(fields, of: table)
    name = sql.name
    storing = sql.store
    deleting = sql.delete
    deletingAll = sql.deleteAll
    self.connection = connection
  }

  /// Adds or replaces the texts of a row. A row whose texts can't be read has none.
  func store(_ rowid: Int64, _ root: FlatBufferTable?) throws {
    let texts = root.flatMap { try? reader.texts(in: $0) }
    let statement = try statement(storing)
    statement.bind(rowid, at: 1)
    for place in reader.readers.indices {
      if let texts, let text = texts[place] {
        try statement.bind(text: text, at: Int32(place) + 2)
      } else {
        statement.bindNull(at: Int32(place) + 2)
      }
    }
    try statement.run()
  }

  /// Deletes a row.
  func delete(_ rowid: Int64) throws {
    let statement = try statement(deleting)
    statement.bind(rowid, at: 1)
    try statement.run()
  }

  /// Deletes every row.
  func deleteAll() throws { try statement(deletingAll).run() }

  private func statement(_ text: String) throws -> Statement {
    if admissions != connection.admissionGeneration {
      try connection.admitSearch(name)
      admissions = connection.admissionGeneration
    }
    return try connection.statement(text: text, usesVirtualTables: true)
  }
}
