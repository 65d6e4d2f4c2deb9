import DflatSQLite
import Foundation
import TestSupport
import Testing

@testable import DflatEntities

/// Values in SQL columns: they read back unchanged, except that zeros have no sign, and SQLite compares them as Swift
/// does.
@Suite struct ColumnValueTests {
  private let directory: TemporaryDirectory
  private let connection: Connection

  init() throws {
    directory = try TemporaryDirectory("columns")
    #expect(FileManager.default.createFile(atPath: directory.file(), contents: nil))
    connection = try Connection(path: directory.file(), mode: .readWrite, busyTimeout: .seconds(5))
  }

  /// Extremes and their neighbors, in ascending order.
  private static func integers<T: FixedWidthInteger & DflatFriendlyValue>(_: T.Type) -> [T] {
    let middle = T.max / 2 + 1
    let all: [T] = [T.min, T.min + 1, 0, 1, middle - 1, middle, T.max - 1, T.max]
    return (T.isSigned ? all + [0 &- 1] : all).sorted()
  }

  private static let reals: [Double] = [
    -.infinity, -.greatestFiniteMagnitude, -9_007_199_254_740_992, -1, -.leastNonzeroMagnitude, -0.0, 0,
    .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, 1, 9_007_199_254_740_992, 1e300, .greatestFiniteMagnitude,
    .infinity,
    .nan,
  ]

  /// By UTF-8 bytes.
  private static let texts = [
    "", "\u{0}", "\u{0}a", "A", "a", "a\u{0}", "a\u{0}b", "aa", "b", "e\u{301}", "\u{7f}", "\u{80}", "\u{e9}",
    "\u{ffff}",
    "\u{10000}", "\u{10ffff}",
  ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }

  private static let columns: [(QueryValueType, [QueryValue])] = [
    (.bool, [false, true].map(\._queryValue)),
    (.int8, integers(Int8.self).map(\._queryValue)), (.uint8, integers(UInt8.self).map(\._queryValue)),
    (.int16, integers(Int16.self).map(\._queryValue)), (.uint16, integers(UInt16.self).map(\._queryValue)),
    (.int32, integers(Int32.self).map(\._queryValue)), (.uint32, integers(UInt32.self).map(\._queryValue)),
    (.int64, integers(Int64.self).map(\._queryValue)), (.uint64, integers(UInt64.self).map(\._queryValue)),
    (.float, reals.map { Float($0)._queryValue }), (.double, reals.map(\._queryValue)),
    (.string, texts.map(\._queryValue)),
  ]

  @Test(
    "Values of every type read back unchanged, but zeros without a sign, and sort as in Swift",
    arguments: columns.map(\.0))
  func order(_ type: QueryValueType) throws {
    let values = [.null] + Self.columns.first { $0.0 == type }!.1
    try connection.execute("CREATE TABLE t (rowid INTEGER PRIMARY KEY, v); CREATE INDEX i ON t (v, rowid)")
    var random = SeededGenerator.announced(for: "ColumnValueTests.order(\(type))")
    let insert = try connection.prepare("INSERT INTO t (rowid, v) VALUES (?1, ?2)")
    // The rowids follow the order of the values; the insertions don't.
    for position in values.indices.shuffled(using: &random) {
      insert.bind(Int64(position), at: 1)
      try ColumnValue.bind(values[position], to: insert, at: 2)
      try insert.run()
    }
    var rows: [Int] = []
    try connection.prepare("SELECT rowid, v FROM t INDEXED BY i ORDER BY v, rowid").forEachRow { row in
      let position = Int(row.int64(at: 0))
      rows.append(position)
      let read = try #require(ColumnValue.read(type, from: row, at: 1))
      #expect(isStored(read, of: values[position]), "\(read) of \(values[position])")
    }
    #expect(rows == Array(values.indices))
    // Equality finds all equal values and no others.
    let find = try connection.prepare("SELECT rowid FROM t WHERE v = ?1 ORDER BY rowid")
    for value in values where !value.isNaN {
      try ColumnValue.bind(value, to: find, at: 1)
      var found: [Int] = []
      try find.forEachRow { found.append(Int($0.int64(at: 0))) }
      #expect(found == values.indices.filter { value != .null && values[$0] == value }, "\(value)")
    }
  }

  private func isStored(_ found: QueryValue, of value: QueryValue) -> Bool {
    switch (found, value) {
    case (.real(let found), .real(let value)) where value.isNaN: found.isNaN
    case (.real(let found), .real(let value)): found.bitPattern == (value == 0 ? 0 : value).bitPattern
    default: found == value
    }
  }
}
