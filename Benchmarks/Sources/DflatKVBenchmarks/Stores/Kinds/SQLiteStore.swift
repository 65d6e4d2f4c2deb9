/// SQLite as a careful program uses it: a connection per thread, WAL, cached statements, and the fields in columns.
final class SQLiteStore: Store {
  private let path: String
  private let kind: RecordKind
  private let durability: StoreDurability

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability) {
    self.path = path
    self.kind = kind
    self.durability = durability
  }

  func session() throws -> any StoreSession { try SQLiteSession(path: path, kind, durability) }

  func finish() {}

  func close() {}
}

private final class SQLiteSession: StoreSession {
  private let connection: RawConnection
  private let kind: RecordKind
  private let selectStatement: RawStatement
  private let insertStatement: RawStatement
  private let scanStatement: RawStatement
  private let updateStatements: [RawStatement]
  private var buffer: [UInt8] = []

  init(path: String, _ kind: RecordKind, _ durability: StoreDurability) throws {
    let columns = kind == .document ? StoreRecord.fieldNames : ["value"]
    let type = kind == .document ? "TEXT" : "INTEGER"
    let connection = try RawConnection(
      path: path,
      schema: """
        PRAGMA busy_timeout = 60000; PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL");
        CREATE TABLE IF NOT EXISTS record (
          id TEXT PRIMARY KEY NOT NULL, \(columns.map { "\($0) \(type)" }.joined(separator: ", ")));
        """)
    self.connection = connection
    self.kind = kind
    let list = columns.joined(separator: ", ")
    selectStatement = try connection.prepare("SELECT \(list) FROM record WHERE id = ?1")
    scanStatement = try connection.prepare("SELECT \(list) FROM record WHERE id >= ?1 ORDER BY id LIMIT ?2")
    let parameters = (1...columns.count + 1).map { "?\($0)" }.joined(separator: ", ")
    insertStatement = try connection.prepare("INSERT INTO record (id, \(list)) VALUES (\(parameters))")
    updateStatements = try columns.map { try connection.prepare("UPDATE record SET \($0) = ?2 WHERE id = ?1") }
  }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    try connection.write { for (key, value) in records { try insert(key, value) } }
  }

  func read(_ key: String) throws -> Int {
    var key = key
    return try key.withUTF8 { utf8 in
      selectStatement.bind(utf8, at: 1)
      defer { selectStatement.reset() }
      return try selectStatement.step() ? copyRow(of: selectStatement) : 0
    }
  }

  func update(_ key: String, _ change: RecordChange) throws {
    var key = key
    try key.withUTF8 { utf8 in
      switch kind {
      case .document:
        try change.bytes.withUnsafeBufferPointer { text in
          try run(updateStatements[change.field], utf8) { $0.bind(text, at: 2) }
        }
      case .integer: try run(updateStatements[0], utf8) { $0.bind(Int64(change.number), at: 2) }
      }
    }
  }

  func insert(_ key: String, _ value: RecordValue) throws {
    var key = key
    try key.withUTF8 { utf8 in
      switch value {
      case .document(let bytes):
        try bytes.withUnsafeBufferPointer { bytes in
          try run(insertStatement, utf8) { statement in
            for field in 0..<StoreRecord.fieldCount {
              statement.bind(.init(rebasing: bytes[StoreRecord.range(ofField: field)]), at: Int32(field) + 2)
            }
          }
        }
      case .integer(let number): try run(insertStatement, utf8) { $0.bind(Int64(number), at: 2) }
      }
    }
  }

  func scan(from key: String, limit: Int) throws -> Int {
    var key = key
    return try key.withUTF8 { utf8 in
      scanStatement.bind(utf8, at: 1)
      scanStatement.bind(Int64(limit), at: 2)
      defer { scanStatement.reset() }
      var count = 0
      while try scanStatement.step() {
        _ = copyRow(of: scanStatement)
        count += 1
      }
      return count
    }
  }

  func modify(_ key: String, _ change: RecordChange) throws {
    try connection.write {
      guard try read(key) > 0 else { throw BenchmarkFailure("no record \(key)") }
      try update(key, change)
    }
  }

  /// Copies the fields, as a program would that uses them.
  private func copyRow(of statement: RawStatement) -> Int {
    buffer.removeAll(keepingCapacity: true)
    switch kind {
    case .document:
      for field in 0..<StoreRecord.fieldCount { buffer.append(contentsOf: statement.bytes(at: Int32(field))) }
      return buffer.count
    case .integer: return statement.integer(at: 0) == .min ? 0 : 8
    }
  }

  private func run(
    _ statement: RawStatement, _ key: UnsafeBufferPointer<UInt8>, _ bind: (RawStatement) -> Void
  ) throws {
    statement.bind(key, at: 1)
    bind(statement)
    try statement.run()
  }
}
