import DflatCore
import DflatSQLite

/// The dictionary's part of the file: one table, which every file has.
struct DictionaryTables: ParticipantTables {
  private static let dictionary = """
    CREATE TABLE dictionary (
      namespace TEXT NOT NULL, key TEXT NOT NULL, type INTEGER NOT NULL, value, version TEXT,
      commit_number INTEGER NOT NULL, PRIMARY KEY (namespace, key)) WITHOUT ROWID
    """

  var fixedTables: [FixedTable] { [FixedTable("dictionary", isInEveryFile: true)] }

  func createTables(on connection: Connection) throws { try connection.changeSchema(Self.dictionary) }

  func indexes(ofTable name: String, sql: String) -> TableFormat.Indexes? {
    name == "dictionary" && TableFormat.isSame(sql, Self.dictionary) ? .automatic(origin: "pk") : nil
  }

  /// Checks the columns against the file format. No repair is possible: nothing in the file says what was there.
  func problems(on connection: Connection, at commitNumber: UInt64) throws -> [IntegrityProblem] {
    var lines: [String] = []
    let newer = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE commit_number > \(commitNumber) OR commit_number < 1")
    if newer > 0 { lines.append("\(newer) dictionary rows have a commit number that was never assigned.") }
    let unnamed = try connection.integer(
      "SELECT count(*) FROM dictionary WHERE typeof(namespace) <> 'text' OR typeof(key) <> 'text'")
    if unnamed > 0 { lines.append("\(unnamed) dictionary rows have a namespace or a key that is not text.") }
    let untyped = try connection.integer(
      """
      SELECT count(*) FROM dictionary WHERE NOT CASE
        WHEN type IN (1, 2, 3) THEN typeof(value) = 'integer'
        WHEN type IN (4, 5) THEN typeof(value) IN ('real', 'null')
        WHEN type = 6 THEN typeof(value) = 'text'
        WHEN type IN (7, 8, 9) THEN typeof(value) = 'blob' ELSE 0 END
      """)
    if untyped > 0 { lines.append("\(untyped) dictionary rows have a value that doesn't match their type.") }
    return lines.map { IntegrityProblem(line: $0, isRepairable: false) }
  }

  func rowCounts(on connection: Connection) throws -> [RowCount] { [try connection.rowCount(of: "dictionary")] }
}
