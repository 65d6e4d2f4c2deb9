import DflatBuffers

/// Stores documents with SQLite directly, in the tables that the workspace creates for their type: rows of a payload
/// and the primary key's column, and a separate table if priorities are indexed.
final class RawDocuments {
  let connection: RawConnection
  private let insertRow: RawStatement
  private let updateRow: RawStatement
  private let deleteRow: RawStatement
  private let selectRow: RawStatement
  private let scan: RawStatement
  private let index: Index?
  private var builder = FlatBufferBuilder()

  private struct Index {
    let insert: RawStatement
    let update: RawStatement
    let delete: RawStatement
  }

  /// - Parameter indexed: True to index priorities.
  init(path: String, indexed: Bool = false) throws {
    connection = try RawConnection(path: path, schema: Self.documents + (indexed ? Self.priorities : ""))
    insertRow = try connection.prepare("INSERT INTO document (rowid, __pk0, payload) VALUES (?1, ?2, ?3)")
    updateRow = try connection.prepare("UPDATE document SET payload = ?2 WHERE rowid = ?1")
    deleteRow = try connection.prepare("DELETE FROM document WHERE rowid = ?1")
    selectRow = try connection.prepare("SELECT payload FROM document WHERE __pk0 = ?1")
    scan = try connection.prepare("SELECT payload FROM document ORDER BY rowid")
    index =
      indexed
      ? Index(
        insert: try connection.prepare("INSERT INTO document__f16 (rowid, f16) VALUES (?1, ?2)"),
        update: try connection.prepare("UPDATE document__f16 SET f16 = ?2 WHERE rowid = ?1"),
        delete: try connection.prepare("DELETE FROM document__f16 WHERE rowid = ?1"))
      : nil
  }

  private static let documents = """
    CREATE TABLE IF NOT EXISTS document (rowid INTEGER PRIMARY KEY, __pk0 TEXT, payload BLOB NOT NULL, UNIQUE (__pk0));
    """

  private static let priorities = """
    CREATE TABLE IF NOT EXISTS document__f16 (rowid INTEGER PRIMARY KEY, f16 INTEGER);
    CREATE INDEX IF NOT EXISTS index__document__f16 ON document__f16 (f16, rowid);
    """

  // MARK: Writing

  func insert(_ document: BenchDoc, at rowid: Int64) throws {
    var title = document.title
    try encode(document)
    try title.withUTF8 { title in
      try builder.withFinishedBytes { bytes in
        insertRow.bind(rowid, at: 1)
        insertRow.bind(title, at: 2)
        insertRow.bind(bytes, at: 3)
        try insertRow.run()
      }
    }
    guard let index else { return }
    index.insert.bind(rowid, at: 1)
    index.insert.bind(Int64(document.priority), at: 2)
    try index.insert.run()
  }

  /// Updates a document that keeps its title.
  func update(_ document: BenchDoc, at rowid: Int64) throws {
    try encode(document)
    try builder.withFinishedBytes { bytes in
      updateRow.bind(rowid, at: 1)
      updateRow.bind(bytes, at: 2)
      try updateRow.run()
    }
    guard let index else { return }
    index.update.bind(rowid, at: 1)
    index.update.bind(Int64(document.priority), at: 2)
    try index.update.run()
  }

  func delete(at rowid: Int64) throws {
    deleteRow.bind(rowid, at: 1)
    try deleteRow.run()
    guard let index else { return }
    index.delete.bind(rowid, at: 1)
    try index.delete.run()
  }

  private func encode(_ document: BenchDoc) throws {
    builder.reset()
    let root = document.to(flatBufferBuilder: &builder)
    try builder.finish(root)
  }

  // MARK: Reading

  func select(_ title: String) throws -> BenchDoc? {
    var title = title
    return try title.withUTF8 { title in
      selectRow.bind(title, at: 1)
      defer { selectRow.reset() }
      guard try selectRow.step() else { return nil }
      return try FlatBuffer.decode(BenchDoc.self, from: selectRow.bytes(at: 0))
    }
  }

  /// Reads every payload, and decodes the matching ones.
  func scan(where matches: (FlatBufferTable) throws -> Bool) throws -> [BenchDoc] {
    var found: [BenchDoc] = []
    defer { scan.reset() }
    while try scan.step() {
      let bytes = scan.bytes(at: 0)
      guard try FlatBuffer.withUnverifiedRoot(in: bytes, matches) else { continue }
      found.append(try FlatBuffer.decode(BenchDoc.self, from: bytes))
    }
    return found
  }
}
