import CSQLite
import DflatSupport

/// Interrupts a statement that takes more steps than its file can have rows.
///
/// A damaged file can contain a tree that reaches the same pages on many paths: reading it from end to end takes
/// practically forever, and copying it fills the disk. In a sound file, a statement's steps are proportional to the
/// file's size.
final class StepBudget {
  /// The number of steps of SQLite's virtual machine between two checks, about a millisecond of work.
  static let interval: Int32 = 50_000
  /// The number of steps that every statement may take.
  static let minimum: Int64 = 1_000_000
  /// The number of additional steps for each byte of the file. Statements on this format's tables take one step per
  /// byte if the rows are as small as possible.
  static let perByte: Int64 = 4
  /// The number of additional steps for each byte while SQLite reads other programs' tables. For a column that was
  /// added later, or a partial index, SQLite takes one or more steps per row, and such a row may have few bytes.
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
  /// True if this object caused the newest interruption.
  private(set) var wasExceeded = false

  init(handle: OpaquePointer, path: String) {
    self.handle = handle
    self.path = path
  }

  /// Returns false if a running statement has used up its budget. SQLite calls this in the middle of a statement. The
  /// number of its runs shows whether a statement is still in the same run as at the last call.
  func allowsMore() -> Bool {
    // Count the steps of each running statement.
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
    wasExceeded = steps > Self.minimum && !Self.allows(steps, perByte: perByte, inFilesOf: fileSizes)
    return !wasExceeded
  }

  /// Returns true if a statement may take this many steps. The sizes may be any numbers: files can have holes.
  static func allows(_ steps: Int64, perByte: Int64, inFilesOf sizes: [Int64]) -> Bool {
    // Divide and subtract, because products and sums could overflow.
    var bytes = max(steps - minimum, 0) / perByte
    for size in sizes where bytes > 0 { bytes -= min(max(size, 0), bytes) }
    return bytes == 0
  }

  /// The sizes of the database and its log. Uses `stat`: opening and closing the file would drop SQLite's locks on it.
  private var fileSizes: [Int64] {
    ["", "-wal"].map { suffix in
      var status = stat()
      return stat(path + suffix, &status) == 0 ? Int64(status.st_size) : 0
    }
  }
}
