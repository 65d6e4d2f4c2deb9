import DflatSQLite

/// An index of the file, to be kept equal to the rows. It has one row for each row that it covers, null values too.
struct MaintainedIndex {
  let path: FieldPath
  let isUnique: Bool
  private let sql: IndexSQL
  private let connection: Connection

  init(_ index: EntityIndex, of table: String, on connection: Connection) {
    path = index.path
    isUnique = index.isUnique
    sql = IndexSQL(table: table, path: index.path.name)
    self.connection = connection
  }

  func insert(_ rowid: Int64, _ value: QueryValue) throws { try store(rowid, value) }

  func update(_ rowid: Int64, to value: QueryValue) throws { try store(rowid, value) }

  private func store(_ rowid: Int64, _ value: QueryValue) throws {
    let statement = try connection.prepare(sql.store)
    statement.bind(rowid, at: 1)
    try ColumnValue.bind(value, to: statement, at: 2)
    try statement.run()
  }

  func delete(_ rowid: Int64) throws {
    let statement = try connection.prepare(sql.delete)
    statement.bind(rowid, at: 1)
    try statement.run()
  }

  /// True when another row has the value. Null is no value.
  func hasDuplicate(of value: QueryValue, except rowid: Int64) throws -> Bool {
    if case .null = value { return false }
    let statement = try connection.prepare(sql.find)
    try ColumnValue.bind(value, to: statement, at: 1)
    statement.bind(rowid, at: 2)
    return try statement.firstRow { _ in true } ?? false
  }
}

/// The SQL of one index.
struct IndexSQL {
  let create: String
  let store: String
  let delete: String
  let find: String
  let name: String

  init(table: String, path: String) {
    name = "\(table)__\(path)"
    let index = quoted(name)
    let column = quoted(path)
    create = """
      CREATE TABLE \(index) (rowid INTEGER PRIMARY KEY, \(column));
      CREATE INDEX \(quoted("index__\(name)")) ON \(index) (\(column), rowid)
      """
    store = "REPLACE INTO \(index) (rowid, \(column)) VALUES (?1, ?2)"
    delete = "DELETE FROM \(index) WHERE rowid = ?1"
    find = "SELECT 1 FROM \(index) WHERE \(column) = ?1 AND rowid <> ?2 LIMIT 1"
  }
}
