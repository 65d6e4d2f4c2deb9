import DflatKV
import Synchronization

/// Removes values from the file once they have expired, for a command that otherwise only reads: only then does it, and
/// do the other processes, receive that they have.
///
/// It opens the file for writing when there is a value that expires. If it may not, another process has to remove it.
final class ExpiredValueRemover: Sendable {
  private let path: String
  /// The time to wait for another process's lock; nil for the default.
  private let timeout: SecondsArgument?
  private let hasStarted = Atomic(false)
  private let workspace = Mutex<SQLiteWorkspace?>(nil)

  init(path: String, timeout: SecondsArgument? = nil) {
    self.path = path
    self.timeout = timeout
  }

  /// The options of the workspace that removes the values.
  var options: SQLiteWorkspace.Options {
    var options = OpenDatabase.options(timeout: timeout, access: .updating)
    options.errorHandler = nil
    options.followsOtherProcesses = true
    return options
  }

  /// Begins, unless it has begun. The workspace finds the values that expire, and follows what other processes write.
  /// If the file can't be opened, the next call tries again.
  func start() {
    if hasStarted.exchange(true, ordering: .acquiringAndReleasing) { return }
    guard let opened = try? SQLiteWorkspace.open(filePath: path, options: options) else {
      return hasStarted.store(false, ordering: .releasing)
    }
    workspace.withLock { $0 = opened }
    _ = try? opened.dictionary.hasExpiringValues()
  }
}
