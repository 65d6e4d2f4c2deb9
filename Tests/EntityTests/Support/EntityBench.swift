import DflatKV
import DflatSQLite
import TestSupport

/// A workspace on a file of its own, and others on the same file.
final class EntityBench: Sendable {
  let directory: TemporaryDirectory
  let workspace: SQLiteWorkspace
  /// What reached the workspace's error handler.
  let reported = EventLog<WorkspaceError>()
  var path: String { directory.file() }

  init(_ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory("entities")
    workspace = try EntityBench.open(directory.file()) { [reported] options in
      options.errorHandler = { reported.append($0) }
      change(&options)
    }
  }

  deinit { workspace.shutdown() }

  static func open(
    _ path: String, _ change: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    options.busyTimeout = .seconds(30)
    change(&options)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Another workspace on the same file, which is to this one as another process is.
  func other() throws -> SQLiteWorkspace { try EntityBench.open(path) }
}
