import DflatSQLite
import TestSupport
import Testing

/// A transaction's record after savepoints that changed the schema were undone.
@Suite struct ChangeRecorderTests {
  private let directory: TemporaryDirectory
  private let connection: Connection
  private static let member = Savepoint("tested")
  private static let inner = Savepoint("inner")

  init() throws {
    directory = try TemporaryDirectory()
    let path = directory.file("a.db")
    try RawDatabase.execute("CREATE TABLE kept (k INTEGER PRIMARY KEY)", on: path)
    connection = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.beginImmediate()
  }

  @Test("A1: Rows of a table whose creation was undone leave the record of the rest alone", arguments: [false, true])
  func undoneTable(isCreatedAgain: Bool) throws {
    defer { connection.close() }
    let recorder = try ChangeRecorder(on: connection, excluding: [])
    try connection.execute("INSERT INTO kept VALUES (1)")
    try connection.open(Self.member)
    try connection.changeSchema("CREATE TABLE undone (k INTEGER PRIMARY KEY)")
    try connection.execute("INSERT INTO undone VALUES (1)")
    try connection.rollBack(Self.member)
    if isCreatedAgain {
      try connection.changeSchema("CREATE TABLE undone (k INTEGER PRIMARY KEY)")
      try connection.execute("INSERT INTO undone VALUES (2)")
    }
    let segments = try #require(try recorder.finish())
    #expect(segments.count == 1)
    #expect(segments.flatMap(\.schemaChanges).count == (isCreatedAgain ? 1 : 0))
    try connection.commit()

    // Another file gets the rows that were kept.
    let path = directory.file("b.db")
    try RawDatabase.execute("CREATE TABLE kept (k INTEGER PRIMARY KEY)", on: path)
    let other = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
    try other.beginImmediate()
    for segment in segments { try other.apply(segment, excluding: []) }
    try other.commit()
    other.close()
    let file = try RawDatabase(path)
    #expect(try file.text("SELECT group_concat(k) FROM kept") == "1")
    if isCreatedAgain { #expect(try file.text("SELECT group_concat(k) FROM undone") == "2") }
  }

  @Test("A1: A savepoint that is undone together with one that was left open inside it leaves nothing in the record")
  func undoneWithAnInnerOne() throws {
    defer { connection.close() }
    let recorder = try ChangeRecorder(on: connection, excluding: [])
    try connection.execute("INSERT INTO kept VALUES (1)")
    try connection.open(Self.member)
    try connection.changeSchema("CREATE TABLE undone (k INTEGER PRIMARY KEY)")
    try connection.open(Self.inner)
    try connection.rollBack(Self.member)
    let segments = try #require(try recorder.finish())
    #expect(segments.flatMap(\.schemaChanges).isEmpty)
    try connection.commit()
  }

  @Test("A1: A table may be dropped after a member was undone that can't be told apart")
  func dropAfterSpoiledMember() throws {
    defer { connection.close() }
    let recorder = try ChangeRecorder(on: connection, excluding: [])
    try connection.execute("INSERT INTO kept VALUES (1)")
    try connection.open(Self.member)
    try connection.changeSchema("DROP TABLE IF EXISTS undone; CREATE TABLE undone (k INTEGER PRIMARY KEY)")
    try connection.execute("INSERT INTO undone VALUES (1)")
    try connection.rollBack(Self.member)
    try connection.changeSchema("DROP TABLE IF EXISTS undone; CREATE TABLE undone (k INTEGER PRIMARY KEY)")
    #expect(try recorder.finish() == nil)
    try connection.rollBack()
  }

  @Test(
    "Rows of a table that is missing there, or has other columns, are refused instead of skipped",
    arguments: [
      "", "CREATE TABLE kept (k INTEGER PRIMARY KEY, more)", "CREATE TABLE kept (k INTEGER)",
    ])
  func otherColumns(text: String) throws {
    defer { connection.close() }
    let recorder = try ChangeRecorder(on: connection, excluding: [])
    try connection.execute("INSERT INTO kept VALUES (1)")
    let segments = try #require(try recorder.finish())
    let path = directory.file("b.db")
    try RawDatabase.execute("CREATE TABLE first (k); " + text, on: path)
    let other = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(30))
    defer { other.close() }
    try other.beginImmediate()
    #expect(throws: ChangesetConflict.self) { try other.apply(segments[0], excluding: []) }
    try other.rollBack()
  }
}
