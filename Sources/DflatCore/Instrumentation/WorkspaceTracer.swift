/// Traces the operations of a workspace that wait for the file: see ``SQLiteWorkspace/Options/tracer``.
///
/// The product DflatTracing has a tracer for swift-distributed-tracing.
public protocol WorkspaceTracer: Sendable {
  /// Begins a span. Runs on the thread, and in the task, of the operation's caller, before the operation waits for
  /// anything.
  func beginSpan(_ operation: TracedOperation) -> any WorkspaceSpan
}

/// The span of one operation.
public protocol WorkspaceSpan: Sendable {
  /// Runs the closure of a transaction within the span, so that spans that the closure begins belong to it. Runs on the
  /// closure's thread, again after each conflict.
  func within(_ body: () throws -> Void) rethrows

  /// Ends the span. Runs once, after the outcome is known, on any thread.
  ///
  /// - Parameter error: The error that the caller receives, or nil after a success.
  func end(throwing error: (any Error)?)
}

/// An operation that is traced.
public struct TracedOperation: Sendable, Hashable {
  /// The kind of an operation.
  public enum Kind: Sendable, Hashable {
    /// A transaction, from its call until its caller is notified. Calls that read and change one key, such as `update`
    /// and `compareAndSet`, are transactions, too.
    case transaction
    /// A wait for earlier plain writes: `synchronize()` or `flush()`.
    case synchronize
  }

  /// The kind of the operation.
  public let kind: Kind
  /// The path of the file.
  public let filePath: String
}

extension Optional<any WorkspaceSpan> {
  /// Runs the closure of a transaction, within the span if there is one.
  func within(_ body: () throws -> Void) rethrows {
    if let self { try self.within(body) } else { try body() }
  }
}
