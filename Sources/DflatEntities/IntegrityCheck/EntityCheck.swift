package import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSchema
import DflatSupport

/// The part of a table's description that only a program or a schema has: the paths of the keys, and the objects'
/// layout.
package struct EntitySchema: Sendable {
  package let entity: EntityDescription
  let layout: TableLayout

  package init(_ entity: EntityDescription, _ layout: TableLayout) {
    self.entity = entity
    self.layout = layout
  }

  package init(_ type: any Atom.Type) { self.init(type._entity, type.flatBufferLayout) }
}

extension [EntitySchema] {
  func first(ofTable table: String) -> EntitySchema? { first(where: { $0.entity.table.hasSameBytes(as: table) }) }
}

/// Compares the tables of entities, their keys and their indexes with the objects' bytes, in one view.
///
/// For a table without a schema it reads only the indexed fields in the bytes, and skips the keys.
struct EntityCheck {
  /// The maximum number of damaged rows that are listed one by one for each table.
  static let maximumRows = 100

  let connection: Connection
  /// The types that the program knows, without those whose schemas can't be compared with the file's.
  private var schemas: [EntitySchema]
  private(set) var problems: [EntityProblem] = []

  init(_ schemas: [EntitySchema], on connection: Connection) {
    self.schemas = schemas
    self.connection = connection
  }

  /// Returns the problems of all tables.
  static func problems(_ schemas: [EntitySchema], on connection: Connection) throws -> [EntityProblem] {
    var check = EntityCheck(schemas, on: connection)
    try check.run()
    return check.problems
  }

  private mutating func run() throws {
    // Collect the tables with the highest rowids that the file lists for them; nil for an unlisted table.
    var tables: [ByteComparedString: Int64?] = [:]
    let schema = try TableFormat.tables(on: connection)
    for table in schema where EntityTableFormat.isEntityTable(table.name, table.sql) {
      tables[ByteComparedString(table.name)] = .some(nil)
    }
    if try connection.hasTable("dflat_entity") {
      try connection.prepare("SELECT name, last_rowid FROM dflat_entity").forEachRow {
        // A value that is not a rowid counts as less than all of them, so that repair replaces it.
        tables[ByteComparedString($0.string(at: 0))] = $0.type(at: 1) == .integer ? max($0.int64(at: 1), -1) : -1
      }
    }
    for schema in schemas where tables[ByteComparedString(schema.entity.table)] == nil {
      // The table may exist with other SQL.
      do {
        _ = try EntityTableFormat.requireSound(schema.entity.table, on: connection)
      } catch let error as WorkspaceError where error.code == .corrupt {
        problems.append(.unreadableTable(schema.entity.table, why: error.message))
      }
    }
    // Check the tables. One that only an index entry or a stored schema names counts as a listed table.
    let listed = try listedIndexes()
    for table in try listed.keys + checkStoredSchemas() where tables[table] == nil { tables[table] = 0 }
    try compareSchemas()
    for (table, last) in tables.sorted(by: { $0.key < $1.key }) { try check(table.string, last: last) }
    // Find index tables that the list of indexes doesn't have.
    for (name, sql) in schema {
      guard let index = IndexTableFormat.place(of: name, sql) ?? SearchTableFormat.place(of: name, sql),
        tables[ByteComparedString(index.table)] != nil
      else { continue }
      if listed[ByteComparedString(index.table)]?.contains(ByteComparedString(index.path)) != true {
        problems.append(.unlistedIndex(table: name))
      }
    }
  }

  /// Returns the paths of the indexes that the file lists, by table.
  private func listedIndexes() throws -> [ByteComparedString: Set<ByteComparedString>] {
    guard try connection.statement(.hasIndexList).hasRow() else { return [:] }
    var listed: [ByteComparedString: Set<ByteComparedString>] = [:]
    try connection.prepare("SELECT table_name, path FROM \(IndexTableFormat.listName)").forEachRow {
      listed[ByteComparedString($0.string(at: 0)), default: []].insert(ByteComparedString($0.string(at: 1)))
    }
    return listed
  }

  // MARK: Schemas

  /// Checks the schemas that the file stores for tables. Returns the tables' names.
  private mutating func checkStoredSchemas() throws -> [ByteComparedString] {
    var tables: [ByteComparedString] = []
    try SchemaList.forEachRow(on: connection) { row in
      guard SchemaList.isOfTable(row.name) else { return }
      tables.append(ByteComparedString(row.name))
      if let text = row.text {
        if !SchemaRelation.isReadable(text) { problems.append(.unknownSchema(table: row.name)) }
      } else {
        problems.append(.damagedSchema(table: row.name))
      }
    }
    return tables
  }

  /// Throws if a schema of the program contradicts the file's: sound rows would seem to be damaged, and a repair would
  /// damage them. Leaves out the types whose stored schemas can't be read, which have been reported.
  private mutating func compareSchemas() throws {
    schemas = try schemas.filter { schema in
      do {
        try SchemaCatalog.requireCompatibility(of: schema.entity, on: connection)
        return true
      } catch let error as WorkspaceError where error.code == .corrupt || error.code == .newerFormat {
        return false
      }
    }
  }

  /// Checks one table.
  ///
  /// - Parameter last: The highest rowid that the table has assigned according to the file; nil for an unlisted table.
  private mutating func check(_ table: String, last: Int64?) throws {
    guard try connection.hasTable(table) else {
      problems.append(.unreadableTable(table, why: "the table is missing"))
      return
    }
    do {
      // Compare the sequence with the highest row.
      let highest = try connection.integer("SELECT max(rowid) FROM \(quoted(table))")
      if let last {
        if highest > last { problems.append(.sequence(table: table, last: last, highest: highest)) }
      } else {
        problems.append(.unlistedTable(table, highest: highest))
      }
      // Check the rows, then the indexes.
      let unreadable = try checkRows(of: table)
      // List each damaged row once, even if several indexes can't read it.
      var damaged = unreadable
      for entry in try IndexCatalog.entries(of: table, on: connection) {
        try check(entry, of: table, except: unreadable, &damaged)
      }
      if damaged.count > Self.maximumRows {
        problems.append(.morePayloads(table: table, count: damaged.count - Self.maximumRows))
      }
    } catch let error as SQLiteError where error.isStatementError {
      problems.append(.unreadableTable(table, why: error.message))
    } catch let error as WorkspaceError where error.code == .corrupt {
      // The table has an index or a trigger that this format doesn't have.
      problems.append(.unreadableTable(table, why: error.message))
    }
  }

  // MARK: Rows

  /// Checks the payloads and keys of a table. Returns the rows that can't be read.
  private mutating func checkRows(of table: String) throws -> Set<Int64> {
    // Read each payload together with the key columns of its row.
    let schema = schemas.first(ofTable: table)
    let keys = schema?.entity.primaryKey ?? []
    let columns = StoredNames.keyColumns(keys.count).map { ", " + $0 }.joined()
    let rows = try connection.prepare("SELECT rowid, payload\(columns) FROM \(quoted(table)) ORDER BY rowid")
    var damaged: Set<Int64> = []
    var misplaced: [Int64] = []
    try rows.forEachRow { row in
      let rowid = row.int64(at: 0)
      do {
        let hasKey = try row.withBytes(at: 1) { bytes throws -> Bool in
          // Without a schema, check only that the payload has a root table.
          guard let schema else {
            _ = try FlatBufferTable(rootOf: bytes)
            return true
          }
          let root = try FlatBufferVerifier().verify(root: schema.layout, in: bytes)
          // Compare the key columns with the keys in the payload.
          for (position, key) in keys.enumerated() {
            let value = try key.path.storedValue(in: root)
            guard ColumnValue.holds(value, key.path.type, row, at: Int32(position) + 2) else { return false }
          }
          return true
        }
        if !hasKey { misplaced.append(rowid) }
      } catch let error as FlatBufferError {
        note(error, rowid, of: table, &damaged)
      }
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

  private mutating func check(
    _ entry: IndexEntry, of table: String, except unreadable: Set<Int64>, _ damaged: inout Set<Int64>
  ) throws {
    if let fields = entry.search {
      let found = try SearchCheck(fields, entry, of: table, on: connection).run(except: unreadable)
      for (rowid, error) in found.unreadable { note(error, rowid, of: table, &damaged) }
      if !found.damage.isSound { problems.append(.index(found.damage)) }
      return
    }
    guard let paths = IndexPaths(definition: entry.definition), paths.name.hasSameBytes(as: entry.path) else {
      problems.append(.unknownDefinition(table: table, path: entry.path))
      return
    }
    var damage = IndexDamage(table: table, entry: entry)
    damage.structure = try structure(of: entry, table)
    if damage.structure == nil { try compare(entry, paths, table, except: unreadable, &damaged, &damage) }
    if !damage.isSound { return problems.append(.index(damage)) }
    if entry.isChecked, try connection.prepare(IndexSQL.anyDuplicate(table, entry.path)).hasRow() {
      problems.append(.duplicates(table: table, path: entry.path))
    }
  }

  private func structure(of entry: IndexEntry, _ table: String) throws -> String? {
    let name = StoredNames.indexTable(of: table, path: entry.path)
    guard try EntityTableFormat.isNameTaken(name, on: connection) else { return "is missing" }
    // An unknown index or trigger on the table makes every statement on it fail.
    let isSound =
      try IndexTableFormat.isIndexTable(name, path: entry.path, on: connection)
      && EntityTableFormat.isSound(name, on: connection)
    return isSound ? nil : "is not defined as this format requires"
  }

  private mutating func compare(
    _ entry: IndexEntry, _ paths: IndexPaths, _ table: String, except unreadable: Set<Int64>,
    _ damaged: inout Set<Int64>, _ damage: inout IndexDamage
  ) throws {
    let readers = paths.fields.map { PathReader(storedBy: $0) }
    try connection.prepare(IndexSQL.compared(table, entry.path)).forEachRow { row in
      let rowid = row.int64(at: 0)
      guard !unreadable.contains(rowid) else { return }
      let isMissing = row.type(at: 2) == .null
      // Filling the index will add the row.
      if isMissing, rowid > entry.filledTo, rowid <= entry.last { return }
      do {
        // Compare the row of the index with the values in the payload.
        let values = try readers.values(inColumn: 1, of: row)
        let isSame = values.indices.allSatisfy {
          ColumnValue.holds(values[$0], readers[$0].type, row, at: Int32($0) + 3)
        }
        if isMissing {
          damage.note(\.missing, rowid)
        } else if !isSame {
          damage.note(\.differing, rowid)
        }
      } catch let error as FlatBufferError {
        note(error, rowid, of: table, &damaged)
      }
    }
    // Rows of the index without an object.
    try connection.prepare(IndexSQL.extra(table, entry.path)).forEachRow { damage.note(\.extra, $0.int64(at: 0)) }
  }
}

extension ColumnValue {
  /// Returns true if a column holds the stored form of a value.
  fileprivate static func holds(
    _ value: QueryValue, _ type: QueryValueType, _ statement: Statement, at column: Int32
  ) -> Bool {
    guard let stored = read(type, from: statement, at: column) else { return false }
    if case .real(let stored) = stored, case .real(let value) = value, value.isNaN { return stored.isNaN }
    return stored == value
  }
}
