import CSQLite
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Ends a statement that takes more steps than its file has room for rows.
///
/// A damaged file can hold a tree whose pages are reached in many ways: reading it from end to end takes ages, and copying it
/// fills the disk. In a sound file a statement's steps are proportional to the file's size.
final class StepBudget {
  /// SQLite's virtual machine asks once in so many steps, which take about a millisecond.
  static let interval: Int32 = 50_000
  /// Steps that every statement has.
  static let minimum: Int64 = 1_000_000
  /// Steps for each byte of the file. Statements on this format's tables take one for the smallest rows.
  static let perByte: Int64 = 4
  /// The same while SQLite looks at the tables of other programs: at a column that was added to their rows later, or an index
  /// that is partial, it takes a step or more in each row, which may have few bytes itself.
  static let perByteOfAnyTable: Int64 = 64

  private struct Running {
    let statement: OpaquePointer
    let run: Int32
    var steps: Int64
  }

  private let handle: OpaquePointer
  private let path: String
  private var running: [Running] = []
  var perByte = StepBudget.perByte
  /// True when the newest interruption was this object's.
  private(set) var wasExceeded = false

  init(handle: OpaquePointer, path: String) {
    self.handle = handle
    self.path = path
  }

  /// Called by SQLite in the middle of a statement. Of those that run, the same run is still going on if its number is the
  /// same.
  func allowsMore() -> Bool {
    var now: [Running] = []
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0 {
        let run = sqlite3_stmt_status(current, SQLITE_STMTSTATUS_RUN, 0)
        let before = running.first { $0.statement == current && $0.run == run }?.steps ?? 0
        now.append(Running(statement: current, run: run, steps: before + Int64(Self.interval)))
      }
      statement = sqlite3_next_stmt(handle, current)
    }
    running = now
    let steps = now.map(\.steps).max() ?? 0
    wasExceeded = steps > Self.minimum && steps > Self.minimum + perByte * fileBytes
    return !wasExceeded
  }

  /// By `stat`: opening and closing the file would drop SQLite's locks on it.
  private var fileBytes: Int64 {
    ["", "-wal"].reduce(0) { total, suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? total + Int64(status.st_size) : total
    }
  }
}
