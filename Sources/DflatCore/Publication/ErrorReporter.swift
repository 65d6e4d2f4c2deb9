/// Reports errors that no caller receives to the log and the error handler (A7).
package struct ErrorReporter: Sendable {
  let workspace: WorkspaceIdentity
  let log: WorkspaceLog
  let handler: (@Sendable (WorkspaceError) -> Void)?
  let delivery: DeliveryQueue

  package func report(_ error: WorkspaceError) {
    log.write(.error, error.message, about: error, for: workspace)
    guard let handler else { return }
    // The parent's delivery queue doesn't run in the child.
    if workspace.isForked { return handler(error) }
    delivery.enqueue(for: workspace) { handler(error) }
  }
}
