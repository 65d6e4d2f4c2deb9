/// The identity of an open workspace, for code that compares workspaces, names one in errors, or keeps one alive.
///
/// `WorkspaceCore` is its only subclass, so a reference to the identity keeps all of the workspace's components alive.
@usableFromInline
package class WorkspaceIdentity: @unchecked Sendable {  // immutable; the subclass must be Sendable, too
  package final let number = SerialNumber()
  /// The path of the file as given.
  package final let path: String

  init(path: String) { self.path = path }

  /// True in a forked child of a process that used this library. No workspace can be used there.
  package final var isForked: Bool { !ForkGuard.isOriginal }

  package final var forkError: WorkspaceError { .forked(path) }

  package final var shutdownError: WorkspaceError {
    WorkspaceError(.shutdown, "The workspace on '\(path)' was shut down; open another one.", path: path)
  }

  package final var nestedError: WorkspaceError {
    WorkspaceError(
      .wouldDeadlock,
      "A call that waits for the workspace on '\(path)' was made inside one of its transactions, or by a value that it "
        + "encodes; use the transaction's own context there.", path: path)
  }

  /// Starts what runs while the file is open. `PublishedViews` calls it when the file is open, until it returns true.
  func didOpenFile() -> Bool { true }
}
