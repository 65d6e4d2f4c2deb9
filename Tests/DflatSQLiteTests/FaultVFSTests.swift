import CSQLite
import TestSupport
import Testing

/// The fault-injecting VFS itself, which other tests rely on.
@Suite struct FaultVFSTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory("fault-vfs")
    path = directory.file()
  }

  private func table(_ connection: RawConnection) throws {
    try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB)")
  }

  @Test("A plan fails the nth operation once")
  func failsTheNthOperationOnce() throws {
    let connection = try RawConnection(path)
    try table(connection)
    let plan = try FaultPlan(.write, on: .wal, in: path, fail: .once(2), with: .full)
    #expect(throws: RawConnection.Failure(code: SQLITE_FULL)) {
      try connection.execute("INSERT INTO t (v) VALUES (randomblob(100))")
    }
    #expect(plan.faultCount == 1)
    try connection.execute("INSERT INTO t (v) VALUES (randomblob(100))")
    #expect(plan.faultCount == 1 && plan.matchCount > 2)
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test("A plan fails all operations from the nth on until it is cancelled")
  func failsFromThenOnUntilCancelled() throws {
    let connection = try RawConnection(path)
    try table(connection)
    let plan = try FaultPlan(.write, on: .wal, in: path, fail: .from(1), with: .ioErrorWrite)
    for _ in 1...3 {
      #expect(throws: RawConnection.Failure(code: SQLITE_IOERR)) {
        try connection.execute("INSERT INTO t DEFAULT VALUES")
      }
    }
    plan.cancel()
    try connection.execute("INSERT INTO t DEFAULT VALUES")
    #expect(try connection.integer("SELECT count(*) FROM t") == 1)
  }

  @Test("A plan for one path ignores other paths")
  func leavesOtherPathsAlone() throws {
    let plan = try FaultPlan(.any, in: "/another/folder/", fail: .from(1), with: .ioError)
    let connection = try RawConnection(path)
    try table(connection)
    #expect(plan.matchCount == 0)
  }

  @Test("A plan can count operations without failing them")
  func countsWithoutFailing() throws {
    let plan = try FaultPlan(.sync, on: .wal, in: path, fail: .never)
    let connection = try RawConnection(path)
    try table(connection)
    #expect(plan.matchCount > 0 && plan.faultCount == 0)
  }

  @Test("A plan can fail locks, memory maps and opens")
  func locksMapsAndOpensFail() throws {
    for (operation, code) in [
      (FaultOperations.open, FaultCode.cannotOpen), (.lock, .ioErrorLock), (.sharedMemoryMap, .ioErrorSharedMemoryMap),
      (.sharedMemoryLock, .ioErrorSharedMemoryLock), (.lock, .busy),
    ] {
      let plan = try FaultPlan(operation, on: .main, in: path, fail: .from(1), with: code)
      #expect(throws: RawConnection.Failure.self) { try RawConnection(path).execute("SELECT * FROM sqlite_schema") }
      #expect(plan.faultCount > 0)
    }
    try table(RawConnection(path))
  }

  @Test("A plan corrupts the data of reads only until it is cancelled")
  func badDataIsReadOnce() throws {
    try table(RawConnection(path))
    let connection = try RawConnection(path)
    let plan = try FaultPlan(.read, on: .main, in: path, fail: .from(1), with: .badData)
    #expect(throws: RawConnection.Failure.self) { try connection.integer("SELECT count(*) FROM t") }
    plan.cancel()
    #expect(try RawConnection(path).integer("SELECT count(*) FROM t") == 0)
  }

  @Test("A plan can fail a COMMIT that has taken effect")
  func aCommitCanFailAndHaveHappened() throws {
    let connection = try RawConnection(path)
    try table(connection)
    let plan = try FaultPlan(.commitEnd, in: path, fail: .once(1), with: .ioError)
    #expect(throws: RawConnection.Failure(code: SQLITE_IOERR)) {
      try connection.execute("INSERT INTO t DEFAULT VALUES")
    }
    #expect(plan.faultCount == 1)
    #expect(try RawConnection(path).integer("SELECT count(*) FROM t") == 1)
  }

  @Test("A plan can make an open read-only")
  func anOpenCanBeForReadingAlone() throws {
    try table(RawConnection(path))
    let plan = try FaultPlan(.open, on: .main, in: path, fail: .from(1), with: .readOnly)
    let connection = try RawConnection(path)
    #expect(throws: RawConnection.Failure(code: SQLITE_READONLY)) {
      try connection.execute("INSERT INTO t DEFAULT VALUES")
    }
    plan.cancel()
    try RawConnection(path).execute("INSERT INTO t DEFAULT VALUES")
  }

  @Test("A commit with a torn write is never visible")
  func aTornWriteIsNeverSeen() throws {
    let connection = try RawConnection(path)
    try table(connection)
    let plan = try FaultPlan(.write, on: .wal, in: path, fail: .once(2), with: .tornFull)
    #expect(throws: RawConnection.Failure(code: SQLITE_FULL)) { try connection.execute("INSERT INTO t DEFAULT VALUES") }
    #expect(plan.faultCount == 1)
    #expect(try RawConnection(path).integer("SELECT count(*) FROM t") == 0)
  }
}

/// Crash images of plain SQLite. Its guarantees are known, so a failure of these tests is a fault of the recorder.
@Suite struct CrashRecorderTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory("crash-recorder")
    path = directory.file()
  }

  private func commitsIn(_ recorder: CrashRecorder, after count: Int, _ image: CrashRecorder.Image) throws -> Int {
    let folder = try TemporaryDirectory("crash-image")
    try recorder.writeImage(after: count, image, into: folder)
    let connection = try RawConnection(folder.file())
    #expect(try connection.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0)
    let first = try connection.integer("SELECT count(*) FROM t")
    #expect(
      try connection.integer("SELECT count(*) FROM u") == first,
      "The image holds half a transaction after \(count) operations")
    #expect(try connection.integer("SELECT ifnull(max(id), 0) FROM t") == first)
    return first
  }

  @Test("Every crash image of plain SQLite holds a prefix of its commits", arguments: ["FULL", "NORMAL"])
  func everyImageHoldsAPrefix(synchronous: String) throws {
    try RawConnection(path).execute(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v BLOB); CREATE TABLE u (id INTEGER PRIMARY KEY, v BLOB)")
    let recorder = try CrashRecorder(folder: directory)
    var acknowledged = [0]  // the number of operations at each commit's acknowledgement
    let connection = try RawConnection(path)
    try connection.execute("PRAGMA synchronous=\(synchronous)")
    for commit in 1...12 {
      try connection.execute(
        """
        BEGIN; INSERT INTO t (v) VALUES (randomblob(6000)); INSERT INTO u (v) VALUES (randomblob(9000)); COMMIT
        """)
      acknowledged.append(recorder.count)
      if commit.isMultiple(of: 4) { try connection.checkpointPassively() }
    }
    for count in 0...recorder.count {
      let expected = acknowledged.lastIndex { $0 <= count } ?? 0
      let killed = try commitsIn(recorder, after: count, .all)
      #expect(killed >= expected, "\(recorder.describe(count))")
      let off = try commitsIn(recorder, after: count, .synced)
      if synchronous == "FULL" { #expect(off >= expected, "\(recorder.describe(count))") }
      let torn = try commitsIn(recorder, after: count, .subset(seed: UInt64(count)))
      #expect(torn >= (synchronous == "FULL" ? expected : 0))
    }
  }

  @Test("A commit without a sync is lost when the power fails, and kept when the process dies")
  func whatIsNotSyncedIsLost() throws {
    try RawConnection(path).execute("CREATE TABLE t (id INTEGER PRIMARY KEY); CREATE TABLE u (id INTEGER PRIMARY KEY)")
    let recorder = try CrashRecorder(folder: directory)
    let connection = try RawConnection(path)
    try connection.execute("PRAGMA synchronous=NORMAL")
    try connection.execute("BEGIN; INSERT INTO t VALUES (1); INSERT INTO u VALUES (1); COMMIT")
    #expect(try commitsIn(recorder, after: recorder.count, .all) == 1)
    #expect(try commitsIn(recorder, after: recorder.count, .synced) == 0)
  }
}
