import DflatBuffers

/// An index over the color and the priority of documents, with SQLite directly: the table that the workspace creates
/// for it, beside those of `RawDocuments`.
struct RawOrderedIndex {
  private let insertRow: RawStatement
  private let selectHighest: RawStatement

  init(on connection: RawConnection) throws {
    try connection.execute(
      """
      CREATE TABLE "document__f6+f16" (rowid INTEGER PRIMARY KEY, f6 INTEGER, f16 INTEGER);
      CREATE INDEX "index__document__f6+f16" ON "document__f6+f16" (f6, f16, rowid);
      """)
    insertRow = try connection.prepare(#"INSERT INTO "document__f6+f16" (rowid, f6, f16) VALUES (?1, ?2, ?3)"#)
    selectHighest = try connection.prepare(
      """
      SELECT t.payload FROM "document__f6+f16" AS i CROSS JOIN document AS t ON t.rowid = i.rowid
      WHERE i.f6 = ?1 ORDER BY i.f16 DESC LIMIT ?2
      """)
  }

  func insert(_ draft: DocumentDraft, at rowid: Int64) throws {
    insertRow.bind(rowid, at: 1)
    insertRow.bind(Int64(draft.color.rawValue), at: 2)
    insertRow.bind(Int64(draft.priority), at: 3)
    try insertRow.run()
  }

  /// Returns the documents of a color with the highest priorities.
  func highest(_ color: Color, _ count: Int) throws -> [BenchDoc] {
    var found: [BenchDoc] = []
    selectHighest.bind(Int64(color.rawValue), at: 1)
    selectHighest.bind(Int64(count), at: 2)
    defer { selectHighest.reset() }
    while try selectHighest.step() {
      found.append(try FlatBuffer.decode(BenchDoc.self, from: selectHighest.bytes(at: 0)))
    }
    return found
  }
}
