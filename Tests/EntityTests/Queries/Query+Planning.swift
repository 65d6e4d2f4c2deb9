import DflatSQLite

@testable import DflatEntities

extension Query {
  /// Returns the same query, planned as if the table had this number of rows. With a small number, reading in order is
  /// preferred to almost every access, and is given up after a few rows.
  func assumingSize(_ size: Int) -> Query {
    var copy = query
    copy.rows.assumedSize = size
    return Query(source, copy)
  }

  /// True if the query reads in order although it has searches that find fewer rows.
  var hasFallback: Bool {
    get throws { try explain().access.contains(" are not enough: ") }
  }

  /// Returns the number of rows that `body`, which queries the same type, loads one by one. Call it in a snapshot, so
  /// that all reads use one connection.
  func loads(_ body: () throws -> Void) throws -> Int {
    func runs() throws -> Int {
      var runs = 0
      try source.read(.swift(Element.self)) { connection, _ in
        runs = try connection.statement(Element._entity.sql.load).runs
      }
      return runs
    }
    let before = try runs()
    try body()
    return try runs() - before
  }
}
