public import DflatCore

extension Workspace {
  /// The dictionary of this workspace: its root namespace.
  ///
  ///     workspace.dictionary["volume"] = 0.8
  ///     let volume = workspace.dictionary["volume", default: 0.5]
  ///
  /// On the thread of a transaction's closure it is the transaction's.
  public var dictionary: WorkspaceDictionary {
    WorkspaceDictionary(store: DictionaryStore.of(core), owner: self, namespace: 0)
  }
}

extension TransactionContext {
  /// The workspace's dictionary within this transaction: writes are staged and commit with it, reads see them first.
  /// It is good inside the closure, on its thread; asked for elsewhere it traps.
  public var dictionary: WorkspaceDictionary {
    precondition(
      ThreadContext.transaction(of: core) === self,
      "A transaction's dictionary is used inside its closure, on its thread; use workspace.dictionary elsewhere.")
    return WorkspaceDictionary(store: DictionaryStore.of(core), owner: core, namespace: 0)
  }
}
