package import Logging

/// The workspace's log. Entries are written on the delivery queue: a log handler is the program's code, which runs
/// under no lock and may use the workspace (A11).
package struct WorkspaceLog: Sendable {
  private let logger: Logger
  private let delivery: DeliveryQueue

  init(_ logger: Logger, on delivery: DeliveryQueue) {
    self.logger = logger
    self.delivery = delivery
  }

  /// Writes an entry with the error's code and cause as its metadata, unless the logger ignores entries of this level.
  ///
  /// The log handler's level is the program's code, too, and callers may hold locks, so only the delivery queue asks for it.
  /// All entries are rare.
  package func write(
    _ level: Logger.Level, _ text: String, about error: WorkspaceError? = nil, for workspace: WorkspaceIdentity
  ) {
    let message = Logger.Message(stringLiteral: text)
    let metadata = error?.logMetadata
    // The parent's delivery queue doesn't run in a forked child.
    if workspace.isForked { return logger.log(level: level, message, metadata: metadata) }
    delivery.enqueue(for: workspace) { [logger] in logger.log(level: level, message, metadata: metadata) }
  }
}
