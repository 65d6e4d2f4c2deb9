import DflatBuffers
import DflatSQLite

/// A full-text index of the file that a writer maintains. Like the index of one field, it has one row for each row of its
/// table, and may get rows before it is filled up to them. Used with the write token, inside a group.
final class MaintainedSearch {
  let reader: SearchReader
  private let sql: SearchSQL
  /// Unowned because the transaction or fill that owns this object uses the connection.
  private unowned let connection: Connection

  init(_ fields: SearchFields, of table: String, on connection: Connection) {
    reader = SearchReader(fields.paths)
    sql = SearchSQL(fields, of: table)
    self.connection = connection
  }

  /// Adds or replaces the texts of a row. A row whose texts can't be read has none.
  func store(_ rowid: Int64, _ root: FlatBufferTable?) throws {
    let texts = root.flatMap { try? reader.texts(in: $0) }
    let statement = try connection.searchStatement(sql.store, on: sql.name)
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
    let statement = try connection.searchStatement(sql.delete, on: sql.name)
    statement.bind(rowid, at: 1)
    try statement.run()
  }

  /// Deletes every row.
  func deleteAll() throws { try connection.searchStatement(sql.deleteAll, on: sql.name).run() }
}
