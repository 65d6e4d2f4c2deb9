import DflatSQLite
import Foundation
import TestSupport
import Testing

@Suite struct ConnectionTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory("connection") }

  private func open(
    _ name: String = "test.db", mode: Connection.Mode = .readWrite, busyTimeout: Duration = .milliseconds(20)
  ) throws -> Connection {
    let path = directory.file(name)
    if mode == .readWrite, !FileManager.default.fileExists(atPath: path) {
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
    }
    return try Connection(path: path, mode: mode, busyTimeout: busyTimeout, vfs: FaultPlan.vfsName)
  }

  private func prepared() throws -> Connection {
    let connection = try open()
    try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, v)")
    return connection
  }

  private static let insert = SQL("INSERT INTO t (v) VALUES (?1)")
  private static let values = SQL("SELECT v FROM t ORDER BY id")

  @Test("CHECK constraints are ignored only while withAllTables runs")
  func checkConstraints() throws {
    let connection = try prepared()
    func isIgnoring() throws -> Bool { try connection.integer("PRAGMA ignore_check_constraints") == 1 }
    #expect(try connection.withAllTables { try isIgnoring() })
    #expect(try !isIgnoring())
    struct Failure: Error {}
    #expect(throws: Failure.self) { try connection.withAllTables { throw Failure() } }
    #expect(try !isIgnoring())
  }

  // MARK: Opening

  @Test(
    "A connection opens a file with any name",
    arguments: ["plain.db", "with space", "50% #1?.db", "é日本🙂", "a&b=c;d", "back\\slash", "'quote\""])
  func opensWhateverTheFileIsCalled(name: String) throws {
    let connection = try open(name)
    try connection.execute("CREATE TABLE t (v)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).contains(name))
    #expect(try connection.prepare("PRAGMA database_list").firstRow { $0.string(at: 2) } == directory.file(name))
  }

  @Test(
    "A table has any name",
    arguments: ["plain", "a\"b", "\"", "a\"\u{301} x", "t\"\u{301}; DROP TABLE t; --", "e\u{301}"])
  func tableNames(name: String) throws {
    let connection = try prepared()
    let table = DflatSQLite.quoted(name)
    try connection.execute("CREATE TABLE \(table) (v)")
    try connection.execute("INSERT INTO \(table) VALUES (7)")
    #expect(try connection.hasTable(name))
    #expect(try connection.integer("SELECT v FROM \(table)") == 7)
    #expect(try connection.hasTable("t"))
  }

  @Test("Opening a missing file fails and doesn't create it")
  func doesNotCreateAFile() throws {
    let path = directory.file("missing")
    let error = try #require(throws: SQLiteError.self) {
      try Connection(path: path, mode: .readWrite, busyTimeout: .zero)
    }
    #expect(error.isCannotOpen)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("A read-only connection can't write")
  func readOnlyDoesNotWrite() throws {
    let writer = try prepared()
    let reader = try open(mode: .readOnly)
    let error = try #require(throws: SQLiteError.self) { try reader.execute("INSERT INTO t (v) VALUES (1)") }
    #expect(error.isReadOnly)
    #expect(try writer.integer("SELECT count(*) FROM t") == 0)
  }

  @Test("Reading a file that is not a database fails with notADatabase")
  func tellsAFileThatIsNoDatabase() throws {
    try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: directory.file("text")))
    let error = try #require(throws: SQLiteError.self) { try open("text").execute("SELECT * FROM sqlite_schema") }
    #expect(error.isNotADatabase)
  }

  // MARK: Errors

  @Test("An error names the statement and never the bound values")
  func errorsNameTheStatementAndNeverTheValues() throws {
    let connection = try prepared()
    try connection.execute("CREATE UNIQUE INDEX i ON t (v)")
    let statement = try connection.statement(Self.insert)
    try statement.bind("a secret", at: 1)
    try statement.run()
    let error = try #require(throws: SQLiteError.self) { try statement.run() }
    #expect(error.extendedCode == 2067)  // SQLITE_CONSTRAINT_UNIQUE
    #expect(error.code == 19)
    #expect(error.sql == Self.insert.text)
    #expect(!"\(error)".contains("secret"))
  }

  @Test("An error carries SQLite's extended result code")
  func errorsCarryTheExtendedCode() throws {
    let connection = try prepared()
    try connection.execute("PRAGMA synchronous=FULL")
    let plan = try FaultPlan(.sync, on: .wal, in: directory.path, fail: .once(1), with: .ioErrorSync)
    let error = try #require(throws: SQLiteError.self) { try connection.execute("INSERT INTO t (v) VALUES (1)") }
    #expect(plan.faultCount == 1)
    #expect(error.isInputOutput && error.extendedCode == 1034)
  }

  @Test("A connection gives up on a lock after the busy timeout")
  func waitsForALockAndThenGivesUp() throws {
    let first = try prepared()
    let second = try open(busyTimeout: .milliseconds(30))
    try first.execute("BEGIN IMMEDIATE")
    let error = try #require(throws: SQLiteError.self) { try second.execute("BEGIN IMMEDIATE") }
    #expect(error.isBusy)
    #expect(first.isWriting && !second.isWriting)
    try first.execute("ROLLBACK")
    try second.execute("BEGIN IMMEDIATE; ROLLBACK")
  }

  @Test("A connection takes a lock that is released within the busy timeout")
  func aLockThatIsLetGoInTimeIsTaken() throws {
    let first = try prepared()
    try first.execute("BEGIN IMMEDIATE")
    let path = directory.file()
    let waiting = Gate("the second connection waits for the lock")
    let plan = try FaultPlan(.sharedMemoryLock, on: .main, in: path, at: .from(3)) {
      waiting.open()
      return nil
    }
    let thread = BackgroundThread("second writer") {
      let second = try Connection(path: path, mode: .readWrite, busyTimeout: .seconds(50), vfs: FaultPlan.vfsName)
      try second.execute("INSERT INTO t (v) VALUES (2)")
    }
    try waiting.wait()
    try first.execute("INSERT INTO t (v) VALUES (1); COMMIT")
    try thread.join()
    plan.cancel()
    #expect(try first.integer("SELECT count(*) FROM t") == 2)
  }

  @Test("A transaction that a full disk interrupts leaves no rows")
  func knowsWhenSQLiteHasRolledBackByItself() throws {
    let connection = try prepared()
    try connection.execute("PRAGMA cache_size=1; PRAGMA cache_spill=1; BEGIN IMMEDIATE")
    let plan = try FaultPlan(.write, on: .wal, in: directory.path, fail: .from(1), with: .full)
    #expect(throws: SQLiteError.self) {
      try connection.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
          + "INSERT INTO t (v) SELECT randomblob(3000) FROM n")
    }
    plan.cancel()
    if connection.isInTransaction { try connection.execute("ROLLBACK") }
    #expect(!connection.isInTransaction)
    #expect(try connection.integer("SELECT count(*) FROM t") == 0)
  }

  // MARK: Values

  @Test("Integers and reals are read back bit for bit")
  func integersAndRealsRoundTrip() throws {
    let connection = try prepared()
    let insert = try connection.statement(Self.insert)
    for value in [Int64.min, -1, 0, 1, .max] {
      insert.bind(value, at: 1)
      try insert.run()
    }
    for value in [0.1, -0.0, .infinity, .leastNonzeroMagnitude] {
      insert.bind(value, at: 1)
      try insert.run()
    }
    var integers: [Int64] = []
    var reals: [Double] = []
    try connection.statement(Self.values).forEachRow { row in
      if row.type(at: 0) == .integer { integers.append(row.int64(at: 0)) } else { reals.append(row.double(at: 0)) }
    }
    #expect(integers == [Int64.min, -1, 0, 1, .max])
    // -0.0 == 0.0, so compare the bits.
    #expect(reals.map(\.bitPattern) == [0.1, -0.0, .infinity, .leastNonzeroMagnitude].map(\.bitPattern))
  }

  @Test(
    "Text is read back as it was written",
    arguments: ["", "a", "with\0nul", "é日本🙂", String(repeating: "x", count: 100_000)])
  func textRoundTrips(text: String) throws {
    let connection = try prepared()
    let insert = try connection.statement(Self.insert)
    try insert.bind(text, at: 1)
    try insert.run()
    let read = try connection.statement(Self.values).firstRow { ($0.type(at: 0), $0.string(at: 0)) }
    #expect(read?.0 == .text && read?.1 == text)
  }

  @Test("Bytes are read back unchanged, including empty ones")
  func bytesRoundTripTheEmptyOnesToo() throws {
    let connection = try prepared()
    let insert = try connection.statement(Self.insert)
    let all: [[UInt8]] = [[], [0], Array(0...255)]
    for bytes in all {
      try bytes.withUnsafeBytes { try insert.bind(blob: $0, at: 1) }
      try insert.run()
    }
    var read: [[UInt8]] = []
    try connection.statement(Self.values).forEachRow { row in
      #expect(row.type(at: 0) == .blob)
      read.append(row.withBytes(at: 0) { Array($0) })
    }
    #expect(read == all)
  }

  @Test("A connection prepares a statement once")
  func aStatementIsPreparedOncePerConnection() throws {
    let first = try prepared()
    let second = try open()
    #expect(try first.statement(Self.values) === first.statement(Self.values))
    #expect(try first.statement(Self.values) !== second.statement(Self.values))
  }

  // MARK: Maintenance

  @Test("A commit never runs a checkpoint by itself")
  func commitsAreNeverCheckpointedByThemselves() throws {
    let connection = try prepared()
    let before = try FileManager.default.attributesOfItem(atPath: directory.file())[.size] as? Int
    for _ in 1...1_200 { try connection.execute("INSERT INTO t (v) VALUES (randomblob(4000))") }
    #expect(connection.walPages > 1_000)
    let after = try FileManager.default.attributesOfItem(atPath: directory.file())[.size] as? Int
    #expect(before == after)
    #expect(try connection.checkpoint().isComplete)
  }

  @Test("A backup from a read-only connection copies all rows, a few pages at a time")
  func backsUpWhileOthersWrite() throws {
    let connection = try prepared()
    for _ in 1...50 { try connection.execute("INSERT INTO t (v) VALUES (randomblob(4000))") }
    let copy = directory.file("copy.db")
    try Data().write(to: URL(fileURLWithPath: copy))
    try open(mode: .readOnly).backup(to: copy, pagesPerStep: 5) {}
    #expect(try open("copy.db", mode: .readOnly).integer("SELECT count(*) FROM t") == 50)
  }

  @Test("A backup to a missing folder throws")
  func aFailedBackupThrows() throws {
    let connection = try prepared()
    #expect(throws: SQLiteError.self) { try connection.backup(to: directory.path + "/no/such/folder/copy") {} }
  }
}
