import CSQLite
import TestSupport

/// A plain SQLite connection over the fault-injecting VFS, without the rules that the library follows.
final class RawConnection: @unchecked Sendable {
  // Unchecked: SQLite serializes the calls on one connection (SQLITE_OPEN_FULLMUTEX).
  private let handle: OpaquePointer

  struct Failure: Error, Equatable {
    let code: Int32
    static let busy = Failure(code: SQLITE_BUSY)
  }

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, FaultPlan.vfsName)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw Failure(code: code)
    }
    self.handle = handle
    try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw Failure(code: code) }
  }

  /// Returns the first column of the first row, as an integer.
  func integer(_ sql: String) throws -> Int {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let prepared = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard prepared == SQLITE_OK else { throw Failure(code: prepared) }
    let stepped = sqlite3_step(statement)
    guard stepped == SQLITE_ROW else { throw Failure(code: stepped) }
    return Int(sqlite3_column_int64(statement, 0))
  }

  struct CheckpointResult: Equatable {
    /// The frames in the WAL.
    let frames: Int
    /// The frames that are in the database file.
    let checkpointed: Int
  }

  @discardableResult func checkpointPassively() throws -> CheckpointResult {
    var frames: Int32 = 0
    var checkpointed: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &checkpointed)
    guard code == SQLITE_OK else { throw Failure(code: code) }
    return CheckpointResult(frames: Int(frames), checkpointed: Int(checkpointed))
  }
}
