/// Stores the dictionary's rows with SQLite directly, in a WITHOUT ROWID table.
final class RawDatabase {
  private let connection: RawConnection
  private let insertStatement: RawStatement
  private let selectStatement: RawStatement

  init(path: String) throws {
    connection = try RawConnection(
      path: path,
      schema: """
        CREATE TABLE IF NOT EXISTS dictionary (
          namespace TEXT NOT NULL, key TEXT NOT NULL, type INTEGER NOT NULL, value,
          PRIMARY KEY (namespace, key)
        ) WITHOUT ROWID;
        """)
    insertStatement = try connection.prepare("INSERT OR REPLACE INTO dictionary VALUES ('', ?1, 2, ?2)")
    selectStatement = try connection.prepare("SELECT type, value FROM dictionary WHERE namespace = '' AND key = ?1")
  }

  func write(_ body: () throws -> Void) throws { try connection.write(body) }
  func read(_ body: () throws -> Void) throws { try connection.read(body) }

  func insert(_ key: String, _ value: UnsafeRawBufferPointer) throws {
    var key = key
    try key.withUTF8 { utf8 in
      insertStatement.bind(utf8, at: 1)
      insertStatement.bind(value, at: 2)
      try insertStatement.run()
    }
  }

  /// Passes the bytes of a value to `body`, or throws if there is none.
  func read<T>(_ key: String, _ body: (UnsafeRawBufferPointer) throws -> T) throws -> T {
    var key = key
    return try key.withUTF8 { utf8 in
      selectStatement.bind(utf8, at: 1)
      defer { selectStatement.reset() }
      guard try selectStatement.step() else { throw BenchmarkFailure("no value") }
      return try body(selectStatement.bytes(at: 1))
    }
  }

  func insert(_ key: String, _ value: Int) throws {
    var key = key
    try key.withUTF8 { utf8 in
      insertStatement.bind(utf8, at: 1)
      insertStatement.bind(Int64(value), at: 2)
      try insertStatement.run()
    }
  }

  func select(_ key: String) throws -> Int? {
    var key = key
    return try key.withUTF8 { utf8 in
      selectStatement.bind(utf8, at: 1)
      defer { selectStatement.reset() }
      guard try selectStatement.step() else { return nil }
      guard selectStatement.integer(at: 0) == 2 else { throw BenchmarkFailure("wrong type") }
      return Int(selectStatement.integer(at: 1))
    }
  }
}
