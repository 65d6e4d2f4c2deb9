extension TransactionContext {
  /// The workspace of the transaction. `WorkspaceCore` is the only subclass of `WorkspaceIdentity`.
  package var core: WorkspaceCore { unsafeDowncast(workspace, to: WorkspaceCore.self) }
}
