import CFaultVFS
import CSQLite
import DflatSupport
import SimulatedRuntime

/// Makes the calls of SQLite's VFS scheduling points, lets some of them fail, and tells the watches about writes to the
/// log. SQLite's random bytes are the same in each process.
enum FileHooks {
  static let vfsName: String = {
    precondition(faultvfs_register(0) == 0, "SQLite refuses the VFS.")
    var plan = faultvfs_plan()
    plan.operations = UInt32(
      FAULTVFS_READ | FAULTVFS_WRITE | FAULTVFS_SYNC | FAULTVFS_OPEN | FAULTVFS_LOCK | FAULTVFS_UNLOCK
        | FAULTVFS_SHM_LOCK
        | FAULTVFS_SHM_UNLOCK | FAULTVFS_COMMIT_END | FAULTVFS_TRUNCATE | FAULTVFS_DELETE)
    plan.files = UInt32(FAULTVFS_ANY_FILE)
    plan.firstMatch = 1
    plan.matchCount = -1
    plan.hook = { _, operation, file, path in FileHooks.reach(Int(operation), Int(file), path) }
    precondition(faultvfs_add_plan(&plan) != 0, "The VFS takes no plan.")
    // SQLite sleeps between its attempts to take a lock.
    sqlite3_vfs_find(nil).pointee.xRandomness = { _, count, bytes in
      if let bytes { memset(bytes, 0x5a, Int(count)) }
      return count
    }
    sqlite3_vfs_find(faultvfs_name).pointee.xSleep = { _, microseconds in
      simulatedSleep(microseconds: UInt32(microseconds))
      return microseconds
    }
    return String(cString: faultvfs_name)
  }()

  private static func reach(_ operation: Int, _ file: Int, _ path: UnsafePointer<CChar>?) -> Int32 {
    guard let simulation = Simulation.current else { return 0 }
    if operation == FAULTVFS_WRITE, file == FAULTVFS_WAL, let path {
      SimulatedFiles.note(.writeAheadLog, of: String(String(cString: path).dropLast(4)))
    }
    if operation == FAULTVFS_READ {
      return simulation.injectsFaultInFollowing() ? Int32(FAULTVFS_CODE_IOERR_READ) : 0
    }
    Simulation.point()
    if operation == FAULTVFS_OPEN, simulation.injectsFaultInFollowing() { return Int32(FAULTVFS_CODE_CANTOPEN) }
    // No faults are injected here: contention makes locks fail already.
    if operation & (FAULTVFS_UNLOCK | FAULTVFS_SHM_UNLOCK | FAULTVFS_LOCK) != 0 { return 0 }
    guard simulation.injectsFault() else { return 0 }
    let code =
      switch operation {
      case FAULTVFS_WRITE: simulation.random.oneIn(2) ? FAULTVFS_CODE_FULL : FAULTVFS_CODE_IOERR_WRITE
      case FAULTVFS_SYNC: FAULTVFS_CODE_IOERR_FSYNC
      case FAULTVFS_OPEN: FAULTVFS_CODE_CANTOPEN
      case FAULTVFS_TRUNCATE: FAULTVFS_CODE_IOERR_TRUNCATE
      case FAULTVFS_DELETE: FAULTVFS_CODE_IOERR_DELETE
      case FAULTVFS_SHM_LOCK: FAULTVFS_CODE_BUSY
      default: FAULTVFS_CODE_IOERR
      }
    return Int32(code)
  }
}
