import DflatBuffers
import DflatSQLite
import TestSupport
import Testing

@testable import DflatEntities

/// Checks a type's tables without a workspace: keys, indexes and rowids have to agree with the payloads.
struct EntityFileCheck<Element: Atom> {
  let path: String

  init(_ type: Element.Type, in path: String) { self.path = path }

  private var entity: EntityDescription { Element._entity }

  private func open() throws -> Connection {
    try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
  }

  /// Returns the objects in the file, in the order of their rows, and checks their keys and indexes.
  @discardableResult
  func objects(sourceLocation: SourceLocation = #_sourceLocation) throws -> [Element] {
    let connection = try open()
    try connection.execute("BEGIN")
    defer { try? connection.execute("ROLLBACK") }
    guard try connection.hasTable(entity.table) else { return [] }
    let objects = try rows(connection, sourceLocation)
    try checkSequence(objects, connection, sourceLocation)
    // `checkIntegrity` compares full-text indexes.
    for entry in try IndexCatalog.entries(of: entity, on: connection) where entry.search == nil {
      try check(entry, objects.map(\._rowid), connection, sourceLocation)
    }
    #expect(try connection.text("PRAGMA integrity_check") == "ok", sourceLocation: sourceLocation)
    return objects
  }

  private func rows(_ connection: Connection, _ sourceLocation: SourceLocation) throws -> [Element] {
    let keys = entity.primaryKey.indices.map { "__pk\($0)" }.joined(separator: ", ")
    var objects: [Element] = []
    try connection.prepare("SELECT rowid, payload, \(keys) FROM \(quoted(entity.table)) ORDER BY rowid").forEachRow {
      row in
      let rowid = row.int64(at: 0)
      try row.withBytes(at: 1) { bytes in
        let table = try FlatBufferVerifier().verify(root: Element.flatBufferLayout, in: bytes)
        objects.append(try Element(table, identity: EntityIdentity(rowid: rowid, commitNumber: 0)))
        for (position, field) in entity.primaryKey.enumerated() {
          let stored = ColumnValue.read(field.path.type, from: row, at: Int32(position) + 2)
          let value = try field.path.storedValue(in: table)
          #expect(same(stored, value), "row \(rowid), key \(field.name)", sourceLocation: sourceLocation)
        }
      }
    }
    return objects
  }

  private func checkSequence(
    _ objects: [Element], _ connection: Connection, _ sourceLocation: SourceLocation
  ) throws {
    let last = try connection.prepare("SELECT last_rowid FROM dflat_entity WHERE name = '\(entity.table)'")
      .firstRow { $0.int64(at: 0) }
    #expect(try #require(last) >= objects.last?._rowid ?? 0, sourceLocation: sourceLocation)
  }

  /// Checks an index, whether the type's schema knows it or not. It has one row for each row that it has to cover, none
  /// for deleted rows, and the values of the payloads.
  private func check(
    _ entry: IndexEntry, _ rowids: [Int64], _ connection: Connection, _ sourceLocation: SourceLocation
  ) throws {
    let paths = try #require(IndexPaths(definition: entry.definition), sourceLocation: sourceLocation).fields
    let columns = paths.map { "i.\(quoted($0.name))" }.joined(separator: ", ")
    let sql = """
      SELECT i.rowid, e.payload, \(columns) FROM \(quoted("\(entity.table)__\(entry.path)")) i
      LEFT JOIN \(quoted(entity.table)) e ON e.rowid = i.rowid ORDER BY i.rowid
      """
    var indexed: Set<Int64> = []
    try connection.prepare(sql).forEachRow { row in
      let rowid = row.int64(at: 0)
      indexed.insert(rowid)
      guard row.type(at: 1) != .null else {
        Issue.record("index \(entry.path) has row \(rowid), which is gone", sourceLocation: sourceLocation)
        return
      }
      for (place, path) in paths.enumerated() {
        let stored = ColumnValue.read(path.type, from: row, at: Int32(place) + 2)
        let value = try row.withBytes(at: 1) { bytes in
          try FlatBuffer.withUnverifiedRoot(in: bytes) { try path.storedValue(in: $0) }
        }
        #expect(same(stored, value), "row \(rowid), index \(entry.path)", sourceLocation: sourceLocation)
      }
    }
    let missing = rowids.filter { ($0 <= entry.filledTo || $0 > entry.last) && !indexed.contains($0) }
    #expect(missing.isEmpty, "index \(entry.path)", sourceLocation: sourceLocation)
  }

  private func same(_ stored: QueryValue?, _ value: QueryValue) -> Bool {
    if case .real(let stored)? = stored, case .real(let value) = value, stored.isNaN { return value.isNaN }
    return stored == value
  }
}
