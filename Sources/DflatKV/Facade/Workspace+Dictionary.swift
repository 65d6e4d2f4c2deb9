public import DflatCore

extension Workspace {
  /// The dictionary of this workspace, in its root namespace.
  ///
  ///     workspace.dictionary["volume"] = 0.8
  ///     let volume = workspace.dictionary["volume", default: 0.5]
  ///
  /// On the thread of a transaction's closure, its reads and writes are part of the transaction, and block as those of
  /// ``DflatCore/TransactionContext/dictionary`` do.
  public var dictionary: WorkspaceDictionary {
    WorkspaceDictionary(store: DictionaryStore.of(core), owner: self, namespace: 0)
  }

  /// The size of the dictionary's cache, and the reads that it answered.
  ///
  ///     let cache = workspace.dictionaryCache
  ///     print("\(cache.hits) of \(cache.hits + cache.misses) reads were in memory")
  ///
  /// Reads in transactions and snapshots count, too, unless they find a write of their own transaction. Reads of many
  /// keys, such as `entries`, don't count: they always go to the file.
  public var dictionaryCache: DictionaryCacheStatistics { DictionaryStore.of(core).cacheStatistics }
}

extension WorkspaceReader {
  /// The workspace's dictionary, as of the commit that the observed closure reads. Setting a value fails the closure.
  ///
  ///     let observation = workspace.observe { reader in reader.dictionary["volume", default: 0.5] }
  ///
  /// Getting a value that isn't cached blocks the calling thread until it is loaded.
  public var dictionary: WorkspaceDictionary {
    WorkspaceDictionary(store: DictionaryStore.of(core), owner: core, namespace: 0)
  }
}

extension TransactionContext {
  /// The workspace's dictionary within this transaction: writes are staged and commit with the transaction, and reads
  /// see them first.
  ///
  /// Use it inside the closure, on its thread; anywhere else, this property traps. The first read or write blocks the
  /// thread until the transaction has the write token, which one transaction at a time holds.
  public var dictionary: WorkspaceDictionary {
    precondition(
      ThreadContext.transaction(of: core) === self,
      "A transaction's dictionary can only be used inside its closure, on its thread; use workspace.dictionary elsewhere."
    )
    return WorkspaceDictionary(store: DictionaryStore.of(core), owner: core, namespace: 0)
  }
}
