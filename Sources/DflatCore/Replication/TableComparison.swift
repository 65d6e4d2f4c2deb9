import DflatSQLite
import DflatSupport

/// Compares the rows of two replicas' files.
struct TableComparison {
  private let one: Connection
  private let other: Connection

  init(_ one: Connection, _ other: Connection) { (self.one, self.other) = (one, other) }

  /// Returns a line for each table that isn't the same, except for those that each machine has for itself.
  func differences() throws -> [String] {
    let (mine, theirs) = (try Self.tables(on: one), try Self.tables(on: other))
    var lines: [String] = []
    for table in mine {
      if !theirs.contains(where: { $0.hasSameBytes(as: table) }) {
        lines.append("'\(table)' is not in the cluster")
      } else if let row = try firstDifference(in: table) {
        lines.append("'\(table)' differs from row \(row) on")
      }
    }
    for table in theirs where !mine.contains(where: { $0.hasSameBytes(as: table) }) {
      lines.append("'\(table)' is missing")
    }
    return lines
  }

  /// The names of a file's tables. A virtual table's rows are in tables of their own.
  private static func tables(on connection: Connection) throws -> [String] {
    let statement = try connection.prepare(
      """
      SELECT name FROM sqlite_master WHERE type = 'table' AND name <> '\(ClusterTable.name)' AND name NOT GLOB 'sqlite_*' \
      AND sql NOT LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
      """)
    var names: [String] = []
    try statement.forEachRow { names.append($0.string(at: 0)) }
    return names
  }

  /// Returns the number of the first row that differs, from 1; nil if all rows are the same.
  private func firstDifference(in table: String) throws -> Int? {
    // In the order of the table's tree, which is that of its key.
    let text = "SELECT * FROM main.\(quoted(table)) NOT INDEXED"
    let (mine, theirs) = (
      try one.withoutAdmission { try one.prepare(text) }, try other.withoutAdmission { try other.prepare(text) }
    )
    defer {
      mine.reset()
      theirs.reset()
    }
    if mine.columnCount != theirs.columnCount { return 1 }
    var row = 0
    while true {
      row += 1
      let (hasMine, hasTheirs) = (try mine.step(), try theirs.step())
      if hasMine != hasTheirs { return row }
      if !hasMine { return nil }
      for column in 0..<mine.columnCount where !Self.isSame(mine, theirs, column) { return row }
    }
  }

  private static func isSame(_ one: Statement, _ other: Statement, _ column: Int32) -> Bool {
    guard one.type(at: column) == other.type(at: column) else { return false }
    switch one.type(at: column) {
    case .integer: return one.int64(at: column) == other.int64(at: column)
    case .real: return one.double(at: column).bitPattern == other.double(at: column).bitPattern
    case .null: return true
    case .text, .blob:
      return one.withBytes(at: column) { mine in other.withBytes(at: column) { mine.elementsEqual($0) } }
    }
  }
}
