package import DflatBuffers
import DflatSQLite

/// The facts about a table that a program or a schema knows and the file doesn't: where the keys are, and how objects are built.
package struct EntitySchema: Sendable {
  package let entity: EntityDescription
  let layout: TableLayout

  package init(_ entity: EntityDescription, _ layout: TableLayout) {
    self.entity = entity
    self.layout = layout
  }

  package init(_ type: any Atom.Type) { self.init(type._entity, type.flatBufferLayout) }
}

/// Compares the tables of entities, their keys and their indexes with the objects' bytes, as one view shows them.
///
/// Where the types aren't known only what indexes read is looked at in the bytes, and keys not at all.
struct EntityCheck {
  /// Damaged rows that are listed one by one, for each table.
  static let maximumRows = 100

  let connection: Connection
  let schemas: [EntitySchema]
  private(set) var problems: [EntityProblem] = []

  init(_ schemas: [EntitySchema], on connection: Connection) {
    self.schemas = schemas
    self.connection = connection
  }

  /// The problems of all tables.
  static func problems(_ schemas: [EntitySchema], on connection: Connection) throws -> [EntityProblem] {
    var check = EntityCheck(schemas, on: connection)
    try check.run()
    return check.problems
  }

  private mutating func run() throws {
    guard try connection.hasTable("dflat_entity") else { return }
    var tables: [(name: String, last: Int64)] = []
    try connection.prepare("SELECT name, last_rowid FROM dflat_entity ORDER BY name").forEachRow {
      // A value that is no rowid counts as less than all of them, so the repair replaces it.
      tables.append(($0.string(at: 0), $0.type(at: 1) == .integer ? max($0.int64(at: 1), -1) : -1))
    }
    for schema in schemas where !tables.contains(where: { $0.name.hasSameBytes(as: schema.entity.table) }) {
      // One that is not in the list may be there all the same; its rowids would be given out again.
      do {
        if try TableFormat.requireSound(schema.entity.table, on: connection) { tables.append((schema.entity.table, 0)) }
      } catch let error as WorkspaceError where error.code == .corrupt {
        problems.append(.unreadableTable(schema.entity.table, why: error.message))
      }
    }
    for table in tables { try check(table.name, last: table.last) }
  }

  private mutating func check(_ table: String, last: Int64) throws {
    guard try connection.hasTable(table) else {
      problems.append(.unreadableTable(table, why: "the table is missing"))
      return
    }
    do {
      let highest = try connection.integer("SELECT max(rowid) FROM \(quoted(table))")
      if highest > last { problems.append(.sequence(table: table, last: last, highest: highest)) }
      let damaged = try checkRows(of: table)
      for entry in try IndexCatalog.entries(of: table, on: connection) {
        try check(entry, of: table, damaged)
      }
    } catch let error as SQLiteError where error.isStatementError {
      problems.append(.unreadableTable(table, why: error.message))
    } catch let error as WorkspaceError where error.code == .corrupt {
      // Something is attached to the table that this format doesn't have.
      problems.append(.unreadableTable(table, why: error.message))
    }
  }

  // MARK: Rows

  /// The rows that can't be read.
  private mutating func checkRows(of table: String) throws -> Set<Int64> {
    let schema = schemas.first { $0.entity.table.utf8.elementsEqual(table.utf8) }
    let keys = schema?.entity.primaryKey ?? []
    let columns = keys.indices.map { ", __pk\($0)" }.joined()
    let rows = try connection.prepare("SELECT rowid, payload\(columns) FROM \(quoted(table)) ORDER BY rowid")
    var damaged: Set<Int64> = []
    var misplaced: [Int64] = []
    try rows.forEachRow { row in
      let rowid = row.int64(at: 0)
      do {
        let hasKey = try row.withBytes(at: 1) { bytes throws -> Bool in
          guard let schema else {
            _ = try FlatBufferTable(rootOf: bytes)
            return true
          }
          let root = try FlatBufferVerifier().verify(root: schema.layout, in: bytes)
          for (place, key) in keys.enumerated() {
            let value = try key.path.storedValue(in: root)
            guard ColumnValue.holds(value, key.path.type, row, at: Int32(place) + 2) else { return false }
          }
          return true
        }
        if !hasKey { misplaced.append(rowid) }
      } catch let error as FlatBufferError {
        note(error, rowid, of: table, &damaged)
      }
    }
    if damaged.count > Self.maximumRows {
      problems.append(.morePayloads(table: table, count: damaged.count - Self.maximumRows))
    }
    if !misplaced.isEmpty {
      problems.append(.key(table: table, fields: keys.map(\.name).joined(separator: ", "), rowids: misplaced))
    }
    return damaged
  }

  private mutating func note(
    _ error: FlatBufferError, _ rowid: Int64, of table: String, _ damaged: inout Set<Int64>
  ) {
    guard damaged.insert(rowid).inserted, damaged.count <= Self.maximumRows else { return }
    problems.append(.payload(table: table, rowid: rowid, why: "\(error)"))
  }

  // MARK: Indexes

  private mutating func check(_ entry: IndexEntry, of table: String, _ damaged: Set<Int64>) throws {
    guard let path = FieldPath(definition: entry.definition), path.name == entry.path else {
      problems.append(.unknownDefinition(table: table, path: entry.path))
      return
    }
    var damage = IndexDamage(table: table, entry: entry)
    damage.structure = try structure(of: entry, table)
    var damaged = damaged
    if damage.structure == nil { try compare(entry, path, table, &damaged, &damage) }
    if !damage.isSound { return problems.append(.index(damage)) }
    if entry.isChecked, try connection.prepare(IndexSQL.anyDuplicate(table, entry.path)).firstRow({ _ in true }) != nil
    {
      problems.append(.duplicates(table: table, path: entry.path))
    }
  }

  private func structure(of entry: IndexEntry, _ table: String) throws -> String? {
    let statement = try connection.prepare(
      "SELECT type, sql FROM sqlite_schema WHERE name IN (?1, ?2) AND tbl_name = ?1 ORDER BY type")
    try statement.bind(IndexSQL.tableName(table, entry.path), at: 1)
    try statement.bind(IndexSQL.indexName(table, entry.path), at: 2)
    var found: [String] = []
    try statement.forEachRow { found.append("\($0.string(at: 0)) \($0.string(at: 1))") }
    let wanted = IndexSQL.parts(table, entry.path)
    if found.isEmpty { return "is missing" }
    // Whatever else is attached to it makes every statement on it fail.
    if found == ["index \(wanted.index)", "table \(wanted.table)"],
      try TableFormat.isSound(IndexSQL.tableName(table, entry.path), on: connection)
    {
      return nil
    }
    return "is not made as it should be"
  }

  private mutating func compare(
    _ entry: IndexEntry, _ path: FieldPath, _ table: String, _ damaged: inout Set<Int64>, _ damage: inout IndexDamage
  ) throws {
    let reader = PathReader(storedBy: path)
    try connection.prepare(IndexSQL.compared(table, entry.path)).forEachRow { row in
      let rowid = row.int64(at: 0)
      guard !damaged.contains(rowid) else { return }
      let isMissing = row.type(at: 2) == .null
      // The filling writes it later.
      if isMissing, rowid > entry.filledTo, rowid <= entry.last { return }
      do {
        let value = try row.withBytes(at: 1) { try reader.value(in: FlatBufferTable(rootOf: $0)) }
        if isMissing {
          damage.note(\.missing, rowid)
        } else if !ColumnValue.holds(value, path.type, row, at: 3) {
          damage.note(\.differing, rowid)
        }
      } catch let error as FlatBufferError {
        note(error, rowid, of: table, &damaged)
      }
    }
    try connection.prepare(IndexSQL.extra(table, entry.path)).forEachRow { damage.note(\.extra, $0.int64(at: 0)) }
  }
}

extension ColumnValue {
  /// True when a column holds what a value is stored as.
  fileprivate static func holds(
    _ value: QueryValue, _ type: QueryValueType, _ statement: Statement, at column: Int32
  ) -> Bool {
    guard let stored = read(type, from: statement, at: column) else { return false }
    if case .real(let stored) = stored, case .real(let value) = value, value.isNaN { return stored.isNaN }
    return stored == value
  }
}
