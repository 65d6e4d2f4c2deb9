package import DflatKV
import Foundation

/// A workspace on a file of its own in a temporary folder, with the errors that its error handler gets.
///
/// The workspace is shut down when the object is destroyed.
package final class TestWorkspace: Sendable {
  package let directory: TemporaryDirectory
  package let workspace: SQLiteWorkspace
  package let errors = EventLog<WorkspaceError>()

  package convenience init(_ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }) throws {
    try self.init(in: TemporaryDirectory(), configure)
  }

  private init(in directory: TemporaryDirectory, _ configure: (inout SQLiteWorkspace.Options) -> Void) throws {
    self.directory = directory
    workspace = try Self.open(directory.file()) { [errors] options in
      options.errorHandler = { errors.append($0) }
      configure(&options)
    }
  }

  deinit { workspace.shutdown() }

  package var path: String { directory.file() }
  package var dictionary: WorkspaceDictionary { workspace.dictionary }
  package var core: WorkspaceCore { workspace.core }

  /// Opens another workspace on the same file, which this one treats like another process.
  package func another(
    _ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> TestWorkspace {
    try TestWorkspace(in: directory, configure)
  }

  /// Opens a workspace on any file. It waits long for the locks of others, because tests run side by side.
  package static func open(
    _ path: String, _ configure: (inout SQLiteWorkspace.Options) -> Void = { _ in }
  ) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options.quiet
    options.busyTimeout = .seconds(30)
    configure(&options)
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  /// Returns when every callback that was due before the call has run.
  package func settle() throws { try workspace.settle() }

  /// Returns when a transaction waits for the write token.
  package func waitForWriteTokenWaiter() {
    while !core.pipeline.hasWriteTokenWaiters { sched_yield() }
  }
}

extension SQLiteWorkspace {
  /// Returns when every callback that was due before the call has run.
  package func settle() throws {
    let done = Gate("delivery")
    core.delivery.enqueue(for: core) { done.open() }
    try done.wait()
  }
}

extension SQLiteWorkspace.Options {
  /// Options that keep the errors that a test provokes out of the log.
  package static var quiet: SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    return options
  }

  /// Quiet options for a workspace whose file operations a `FaultPlan` can fail or delay.
  package static var onFaultVFS: SQLiteWorkspace.Options {
    var options = quiet
    options.vfs = FaultPlan.vfsName
    return options
  }

  /// Keeps a group open as long as transactions wait to join it: everything that a test queues is one commit.
  package mutating func commitLate() { groupPolicy.maximumAge = .seconds(3_600) }
}
