import DflatSQLite

/// The change log's SQL.
extension SQL {
  static let commitNumber = SQL("SELECT max(commit_number) FROM dflat_log")
  static let appendLog = SQL("INSERT INTO dflat_log (commit_number, writer, changes) VALUES (?1, ?2, ?3)")
  static let trimLog = SQL("DELETE FROM dflat_log WHERE commit_number <= ?1")
  static let logAfter = SQL(
    "SELECT commit_number, changes FROM dflat_log WHERE commit_number > ?1 ORDER BY commit_number")
  static let logWriter = SQL("SELECT writer FROM dflat_log WHERE commit_number = ?1")
  static let appendVoid = SQL(
    "INSERT INTO dflat_log (commit_number, writer, changes) SELECT max(commit_number) + 1, 0, x'' FROM dflat_log")
  static let removeVoid = SQL(
    "DELETE FROM dflat_log WHERE commit_number = (SELECT max(commit_number) FROM dflat_log)")
}
