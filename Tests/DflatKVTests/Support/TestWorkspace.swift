import DflatCore
import DflatKV
import Foundation
import TestSupport

/// A workspace on a file of its own, with the errors that its error handler gets.
final class TestWorkspace: Sendable {
  let directory: TemporaryDirectory
  let workspace: SQLiteWorkspace
  let errors: EventLog<WorkspaceError>

  init(_ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    errors = EventLog()
    workspace = try Self.open(directory.file(), errors, configure)
  }

  private init(directory: TemporaryDirectory, workspace: SQLiteWorkspace, errors: EventLog<WorkspaceError>) {
    self.directory = directory
    self.workspace = workspace
    self.errors = errors
  }

  deinit { workspace.shutdown() }

  var dictionary: WorkspaceDictionary { workspace.dictionary }
  var core: WorkspaceCore { workspace.core }

  /// Opens another workspace on the same file, which this one treats like another process.
  func another(_ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws -> TestWorkspace {
    let errors = EventLog<WorkspaceError>()
    let workspace = try Self.open(directory.file(), errors, configure)
    return TestWorkspace(directory: directory, workspace: workspace, errors: errors)
  }

  /// Returns when every callback that was due before the call has run.
  func settle() {
    let done = Gate("delivery")
    workspace.core.delivery.enqueue(for: workspace.core) { done.open() }
    try? done.wait()
  }

  private static func open(
    _ path: String, _ errors: EventLog<WorkspaceError>, _ configure: (inout SQLiteWorkspace.Options) -> Void
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options()
    options.errorHandler = { errors.append($0) }
    options.logger.logLevel = .critical
    configure(&options)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }
}
