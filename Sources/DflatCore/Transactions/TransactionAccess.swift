/// The parts of a workspace that a transaction uses. `Pipeline` provides them.
protocol TransactionAccess: AnyObject, Sendable {
  /// The pool to which a transaction returns the reader of its view.
  var readers: ReaderPool { get }

  /// Opens a view at the newest commit. The caller gives its reader back.
  func pinnedView() -> Snapshot

  /// Blocks until this thread holds the write token.
  func waitForWriteToken()

  /// Adds a transaction to the open group, or begins a group. This thread holds the write token.
  func begin(_ transaction: TransactionContext) throws -> Group
}
