import DflatCore
import DflatKV
import TestSupport
import Testing

/// A participant that DflatCore doesn't know takes part in everything: files, transactions, checks and repairs.
@Suite struct CounterTests {
  private let directory: TemporaryDirectory
  private let workspace: SQLiteWorkspace
  private var core: WorkspaceCore { workspace.core }

  init() throws {
    directory = try TemporaryDirectory("counter")
    workspace = try CounterTests.open(directory.file())
  }

  private static func open(
    _ path: String, with tables: [any ParticipantTables] = SQLiteWorkspace.tables + [CounterTables()]
  ) throws -> SQLiteWorkspace {
    let workspace = SQLiteWorkspace(core: WorkspaceCore(path: path, options: .quiet, tables: tables))
    try workspace.core.openNow()
    return workspace
  }

  private func add(_ number: Int, to name: String) throws {
    try workspace.transactAndWait([Counter.self]) { try Counter.add(number, to: name, in: $0) }
  }

  @Test("A1, A2: A participant's changes commit with the dictionary's, or not at all")
  func transactions() throws {
    try workspace.transactAndWait([Counter.self]) { txn in
      try Counter.add(1, to: "visits", in: txn)
      try Counter.add(2, to: "visits", in: txn)
      txn.dictionary["last"] = "today"
    }
    #expect(throws: Refusal.self) {
      try workspace.transactAndWait([Counter.self]) { txn in
        try Counter.add(9, to: "visits", in: txn)
        txn.dictionary["last"] = "never"
        throw Refusal()
      }
    }
    #expect(Counter.of(workspace.core)["visits"] == 3)
    #expect(workspace.dictionary["last"] == "today")
    #expect(try Files.integer("SELECT count FROM counter", on: directory.file()) == 3)
  }

  @Test("A file can have the tables of any participants") func alone() throws {
    let path = directory.file("alone.db")
    let workspace = try CounterTests.open(path, with: [CounterTables()])
    try workspace.transactAndWait([Counter.self]) { try Counter.add(5, to: "visits", in: $0) }
    #expect(Counter.of(workspace.core)["visits"] == 5)
    workspace.shutdown()
    #expect(try Files.integer("SELECT count(*) FROM sqlite_master WHERE name = 'dictionary'", on: path) == 0)
  }

  @Test("A3: A participant says which lane its types share") func lanes() throws {
    #expect(throws: WorkspaceError.self) {
      try workspace.transactAndWait([Book.self]) { try Counter.add(1, to: "visits", in: $0) }
    }
    var lanes: [Lane] = []
    try workspace.transactAndWait([Counter.self, Book.self]) { lanes = $0.declaredLanes }
    #expect(lanes == [CounterTables.lane, .type(ObjectIdentifier(Book.self))])
  }

  @Test("A9: A participant follows other workspaces' commits") func external() throws {
    let other = try CounterTests.open(directory.file())
    let counter = Counter.of(other.core)
    try add(4, to: "visits")
    try other.core.checkForCommits()
    #expect(counter["visits"] == 4)
  }

  @Test("A statement refuses a participant's table that doesn't have its format") func hostileTable() throws {
    workspace.shutdown()
    try Files.execute(
      "DROP TABLE counter; CREATE TABLE counter (name TEXT PRIMARY KEY, count INTEGER) WITHOUT ROWID",
      on: directory.file())
    let error = #expect(throws: WorkspaceError.self) { try CounterTests.open(directory.file()) }
    #expect(error?.code == .corrupt)
  }

  @Test("A participant checks and repairs its rows, and counts them") func maintenance() throws {
    try add(1, to: "visits")
    try add(2, to: "clicks")
    #expect(try core.integrityProblems(in: core.tables).map(\.line) == [])
    try Files.execute("UPDATE counter SET count = -1 WHERE name = 'clicks'", on: directory.file())
    #expect(try workspace.checkIntegrity() == ["1 counts are negative."])
    #expect(try workspace.reindex() == ["Set 1 counts to 0."])
    #expect(try workspace.checkIntegrity() == [])
    #expect(
      try core.rowCounts() == [RowCount(table: "dictionary", rows: 0), RowCount(table: "counter", rows: 2)])
  }
}
