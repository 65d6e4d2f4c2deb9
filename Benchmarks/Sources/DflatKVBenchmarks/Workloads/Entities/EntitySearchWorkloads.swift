import DflatBuffers
import DflatEntities
import DflatKV

/// Full-text searches, next to FTS5 by hand.
enum EntitySearchWorkloads {
  static let all = [search, insert]

  private static let count = 10_000
  private static let searches = 100

  private static let search = Comparison(
    id: "entity-search", title: "Search 10,000 Texts for two words, 100 times",
    baselineTitle: "raw FTS5, joined with the payloads, which are decoded"
  ) { scratch in
    .init(try searchEntities(scratch), against: try searchRaw(scratch))
  }

  private static let insert = Comparison(
    id: "entity-insert-searchable", title: "Insert 10,000 Objects, one text searchable",
    baselineTitle: "raw SQLite, the same tables, payloads and FTS5 table"
  ) { scratch in
    .init(
      PreparedWork { state in
        try Workload.withNewWorkspace(scratch) { workspace in
          state.start()
          try fill(workspace)
          try state.end()
        }
      },
      against: PreparedWork { state in
        let path = try scratch.newDatabasePath()
        defer { scratch.removeDatabase(at: path) }
        let raw = try RawConnection(path: path, schema: schema)
        state.start()
        try fill(raw)
        try state.end()
      })
  }

  // MARK: Texts

  /// Returns a text of 20 words out of 500. The first words of the list are the most frequent ones.
  private static func text(_ number: Int) -> String {
    (0..<20).map { place in
      let mixed = (number &* 7_919 &+ place &* 104_729) % 250_000
      return "word\(mixed % 500 * (mixed / 500) / 500)"
    }.joined(separator: " ")
  }

  private static func words(_ search: Int) -> (String, String) { ("word\(search % 7)", "word\(10 + search % 13)") }

  // MARK: The workspace

  private static func fill(_ workspace: SQLiteWorkspace) throws {
    try workspace.transactAndWait([SearchableDoc.self]) { transaction in
      for number in 0..<count {
        try transaction.insert(SearchableDoc(number: Int32(number), text: text(number)))
      }
    }
  }

  private static func searchEntities(_ scratch: ScratchFolder) throws -> PreparedWork {
    let path = try scratch.newDatabasePath()
    let workspace = try SQLiteWorkspace.open(filePath: path)
    try fill(workspace)
    return PreparedWork(
      work: { state in
        var found = 0
        state.start()
        for search in 0..<searches {
          let (first, second) = words(search)
          found += try workspace.query(for: SearchableDoc.self).where(SearchableDoc.matches("\(first) \(second)"))
            .fetch().count
        }
        try state.end()
        if found == 0 { throw BenchmarkFailure("the searches find nothing") }
      },
      tearDown: {
        workspace.shutdown()
        scratch.removeDatabase(at: path)
      })
  }

  // MARK: SQLite by hand

  private static let schema = """
    CREATE TABLE doc (rowid INTEGER PRIMARY KEY, __pk0 INTEGER, payload BLOB NOT NULL, UNIQUE (__pk0));
    CREATE VIRTUAL TABLE doc_text USING fts5(text, tokenize='unicode61 remove_diacritics 2');
    """

  private static func fill(_ raw: RawConnection) throws {
    let insert = try raw.prepare("INSERT INTO doc (rowid, __pk0, payload) VALUES (?1, ?2, ?3)")
    let index = try raw.prepare("INSERT INTO doc_text (rowid, text) VALUES (?1, ?2)")
    var builder = FlatBufferBuilder()
    try raw.write {
      for number in 0..<count {
        var text = text(number)
        builder.reset()
        let root = SearchableDoc(number: Int32(number), text: text).to(flatBufferBuilder: &builder)
        try builder.finish(root)
        try builder.withFinishedBytes { bytes in
          insert.bind(Int64(number + 1), at: 1)
          insert.bind(Int64(number), at: 2)
          insert.bind(bytes, at: 3)
          try insert.run()
        }
        try text.withUTF8 { text in
          index.bind(Int64(number + 1), at: 1)
          index.bind(text, at: 2)
          try index.run()
        }
      }
    }
  }

  private static func searchRaw(_ scratch: ScratchFolder) throws -> PreparedWork {
    let path = try scratch.newDatabasePath()
    let raw = try RawConnection(path: path, schema: schema)
    try fill(raw)
    let select = try raw.prepare(
      """
      SELECT d.payload FROM doc_text AS t CROSS JOIN doc AS d ON d.rowid = t.rowid
      WHERE doc_text MATCH ?1 ORDER BY t.rowid
      """)
    return PreparedWork(
      work: { state in
        var found = 0
        state.start()
        for search in 0..<searches {
          let (first, second) = words(search)
          var expression = "\"\(first)\" AND \"\(second)\""
          try expression.withUTF8 { expression in
            select.bind(expression, at: 1)
            while try select.step() {
              _ = try FlatBuffer.decode(SearchableDoc.self, from: select.bytes(at: 0))
              found += 1
            }
            select.reset()
          }
        }
        try state.end()
        if found == 0 { throw BenchmarkFailure("the searches find nothing") }
      },
      tearDown: {
        withExtendedLifetime(raw) {}  // the statement needs its connection
        scratch.removeDatabase(at: path)
      })
  }
}
