import DflatBuffers
import DflatCore
import DflatSQLite
import DflatSupport

/// Compares a full-text index with the objects: its copy of the texts, and the words that it lists with the words of
/// the texts. Writes nothing to the file.
///
/// FTS5's own check counts as a write, so it runs only as a part of a repair. It also compares what only ranks depend
/// on.
struct SearchCheck {
  private let entry: IndexEntry
  private let table: String
  private let sql: SearchSQL
  private let reader: SearchReader
  private let connection: Connection

  init(_ fields: SearchFields, _ entry: IndexEntry, of table: String, on connection: Connection) {
    self.entry = entry
    self.table = table
    self.connection = connection
    sql = SearchSQL(fields, of: table)
    reader = SearchReader(fields.paths)
  }

  /// Returns the damage of the index, and the rows whose texts can't be read.
  ///
  /// - Parameter known: The rows that are known to be unreadable.
  func run(
    except known: Set<Int64>
  ) throws -> (damage: IndexDamage, unreadable: [(rowid: Int64, error: FlatBufferError)]) {
    var damage = IndexDamage(table: table, entry: entry)
    var unreadable: [(rowid: Int64, error: FlatBufferError)] = []
    damage.structure = try structure()
    if damage.structure != nil { return (damage, unreadable) }
    // Without the module, the index can only be left alone.
    guard SearchEvaluator.isAvailable else { return (damage, unreadable) }
    do {
      try compare(except: known, &damage, &unreadable)
      if damage.isSound, try !hasWordsOfTexts() { damage.structure = Self.wrongWords }
      if damage.isSound, connection.isWriting { try connection.searchStatement(sql.check, on: sql.name).run() }
    } catch let error as SQLiteError where error.isCorrupt || error.isStatementError {
      damage.structure = Self.wrongWords
    }
    return (damage, unreadable)
  }

  private static let wrongWords = "lists other words than its texts have"

  private func structure() throws -> String? {
    guard try EntityTableFormat.isNameTaken(sql.name, on: connection) else { return "is missing" }
    let isSound =
      try SearchTableFormat.isSearchTable(sql.name, on: connection)
      && SearchTableFormat.isSound(sql.name, on: connection)
    return isSound ? nil : "is not defined as this format requires"
  }

  // MARK: Texts

  private func compare(
    except known: Set<Int64>, _ damage: inout IndexDamage,
    _ unreadable: inout [(rowid: Int64, error: FlatBufferError)]
  ) throws {
    // A virtual table in place of the objects' table would run its module when a statement is prepared.
    try connection.admit([table])
    let rows = try connection.searchStatement(sql.compared(with: table), on: sql.name)
    try rows.forEachRow { row in
      let rowid = row.int64(at: 0)
      guard !known.contains(rowid) else { return }
      let isMissing = row.type(at: 2) == .null
      // Filling the index will add the row.
      if isMissing, rowid > entry.filledTo, rowid <= entry.last { return }
      do {
        let isSame = try row.withBytes(at: 1) { bytes in
          let texts = try reader.texts(in: FlatBufferTable(rootOf: bytes))
          return texts.enumerated().allSatisfy { place, text in Self.holds(text, row, at: Int32(place) + 3) }
        }
        if isMissing { damage.note(\.missing, rowid) } else if !isSame { damage.note(\.differing, rowid) }
      } catch let error as FlatBufferError {
        unreadable.append((rowid, error))
      }
    }
    // Rows of the index without an object.
    let extra = try connection.searchStatement(sql.extra(to: table), on: sql.name)
    try extra.forEachRow { damage.note(\.extra, $0.int64(at: 0)) }
  }

  /// Returns true if a column holds a text, or null for an absent one.
  private static func holds(_ text: UnsafeRawBufferPointer?, _ row: Statement, at column: Int32) -> Bool {
    guard let text else { return row.type(at: column) == .null }
    return row.type(at: column) == .text && row.withBytes(at: column) { $0.isSame(as: text) }
  }

  // MARK: Words

  /// Returns true if the index lists the words of its own texts, each with its row, column and position. Compares the
  /// sums of hashes, which don't depend on the order.
  private func hasWordsOfTexts() throws -> Bool {
    let columns = sql.fields.columns
    let words = "dflat_words"
    return try connection.withTemporaryTables {
      // List the words of the index.
      try connection.execute(
        "CREATE VIRTUAL TABLE temp.\(words) USING fts5vocab(main, \(quoted(sql.name)), instance)")
      defer { try? connection.execute("DROP TABLE temp.\(words)") }
      var listed = WordSum()
      try connection.prepare("SELECT term, doc, col, offset FROM temp.\(words)", usesVirtualTables: true).forEachRow {
        row in
        let column = columns.firstIndex(of: row.string(at: 2)) ?? -1
        row.withBytes(at: 0) { listed.add($0, row: row.int64(at: 1), column: column, position: row.int64(at: 3)) }
      }
      // Split the copies of the texts into words, with the tokenizer of the index.
      var expected = WordSum()
      let names = columns.map { ", " + quoted($0) }.joined()
      let texts = try connection.prepare("SELECT rowid\(names) FROM \(quoted(sql.name))", usesVirtualTables: true)
      try SearchEvaluator.lend { evaluator in
        try texts.forEachRow { row in
          let copies = columns.indices.map { place -> [UInt8]? in
            let column = Int32(place) + 1
            return row.type(at: column) == .null ? nil : row.withBytes(at: column) { Array($0) }
          }
          let rowid = row.int64(at: 0)
          try Self.withPointers(copies[...], []) { texts in
            try evaluator.forEachWord(texts) { expected.add($0, row: rowid, column: $1, position: $2) }
          }
        }
      }
      return listed == expected
    }
  }

  /// Calls `body` with pointers to all texts.
  private static func withPointers(
    _ texts: ArraySlice<[UInt8]?>, _ pointers: [UnsafeRawBufferPointer?],
    _ body: ([UnsafeRawBufferPointer?]) throws -> Void
  ) throws {
    guard let next = texts.first else { return try body(pointers) }
    guard let text = next else { return try withPointers(texts.dropFirst(), pointers + [nil], body) }
    try text.withUnsafeBytes { try withPointers(texts.dropFirst(), pointers + [$0], body) }
  }
}

/// The number of words, and the sum of their hashes (FNV-1a).
private struct WordSum: Equatable {
  private var count: UInt64 = 0
  private var hashes: UInt64 = 0

  mutating func add(_ word: UnsafeRawBufferPointer, row: Int64, column: Int, position: Int64) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func mix(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for byte in word { mix(byte) }
    for number in [row, Int64(column), position] {
      for shift in stride(from: 0, to: 64, by: 8) { mix(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }
    count &+= 1
    hashes &+= hash
  }
}
