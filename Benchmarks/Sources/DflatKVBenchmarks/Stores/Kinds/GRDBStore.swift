import GRDB

/// Records of GRDB in a `DatabasePool`, with the fields in columns.
final class GRDBStore: Store, StoreSession {
  private let pool: DatabasePool
  private let kind: RecordKind

  init(at path: String, _ kind: RecordKind, _ durability: StoreDurability) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL")")
    }
    pool = try DatabasePool(path: path, configuration: configuration)
    self.kind = kind
    let columns = kind == .document ? StoreRecord.fieldNames.map { "\($0) TEXT" } : ["value INTEGER NOT NULL"]
    let name = kind == .document ? DocumentRow.databaseTableName : NumberRow.databaseTableName
    try pool.write { database in
      try database.execute(
        sql: "CREATE TABLE IF NOT EXISTS \(name) (id TEXT PRIMARY KEY NOT NULL, \(columns.joined(separator: ", ")))")
    }
  }

  func session() -> any StoreSession { self }

  func finish() {}

  func close() throws { try pool.close() }

  func load(_ records: [(key: String, value: RecordValue)]) throws {
    try pool.write { database in
      for (key, value) in records { try Self.insert(value, for: key, in: database) }
    }
  }

  func read(_ key: String) throws -> Int {
    try pool.read { database in
      switch kind {
      case .document: try DocumentRow.fetchOne(database, key: key)?.byteCount ?? 0
      case .integer: try NumberRow.fetchOne(database, key: key) == nil ? 0 : 8
      }
    }
  }

  func update(_ key: String, _ change: RecordChange) throws {
    try pool.write { database in
      let updated =
        switch kind {
        case .document:
          try DocumentRow.filter(key: key).updateAll(
            database, Column(StoreRecord.fieldNames[change.field]).set(to: change.text))
        case .integer: try NumberRow.filter(key: key).updateAll(database, Column("value").set(to: change.number))
        }
      guard updated == 1 else { throw BenchmarkFailure("no record \(key)") }
    }
  }

  func insert(_ key: String, _ value: RecordValue) throws {
    try pool.write { try Self.insert(value, for: key, in: $0) }
  }

  func scan(from key: String, limit: Int) throws -> Int {
    try pool.read { database in
      switch kind {
      case .document:
        let rows = try DocumentRow.filter(Column("id") >= key).order(Column("id")).limit(limit).fetchAll(database)
        return rows.count { $0.byteCount == StoreRecord.documentLength }
      case .integer:
        return try NumberRow.filter(Column("id") >= key).order(Column("id")).limit(limit).fetchAll(database).count
      }
    }
  }

  func modify(_ key: String, _ change: RecordChange) throws {
    try pool.write { database in
      switch kind {
      case .document:
        guard var row = try DocumentRow.fetchOne(database, key: key) else { throw BenchmarkFailure("no record \(key)") }
        row.fields[change.field] = change.text
        try row.update(database, columns: [StoreRecord.fieldNames[change.field]])
      case .integer:
        guard var row = try NumberRow.fetchOne(database, key: key) else { throw BenchmarkFailure("no record \(key)") }
        row.value &+= change.number
        try row.update(database)
      }
    }
  }

  private static func insert(_ value: RecordValue, for key: String, in database: Database) throws {
    switch value {
    case .document:
      try DocumentRow(id: key, fields: (0..<StoreRecord.fieldCount).map(value.text(ofField:))).insert(database)
    case .integer(let number): try NumberRow(id: key, value: number).insert(database)
    }
  }
}

private struct DocumentRow: FetchableRecord, PersistableRecord {
  static let databaseTableName = "document"

  var id: String
  var fields: [String]

  var byteCount: Int { fields.reduce(0) { $0 + $1.utf8.count } }

  init(id: String, fields: [String]) {
    self.id = id
    self.fields = fields
  }

  init(row: GRDB.Row) {
    id = row[0]
    fields = (1...StoreRecord.fieldCount).map { row[$0] }
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    for (name, field) in zip(StoreRecord.fieldNames, fields) { container[name] = field }
  }
}

private struct NumberRow: FetchableRecord, PersistableRecord {
  static let databaseTableName = "number"

  var id: String
  var value: Int

  init(id: String, value: Int) {
    self.id = id
    self.value = value
  }

  init(row: GRDB.Row) {
    id = row[0]
    value = row[1]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["value"] = value
  }
}
