public import DflatCore

extension WorkspaceDictionary {
  /// Observes a key: delivers its committed value now, then every committed change by any process.
  ///
  ///     let subscription = dictionary.subscribe("volume", of: Double.self) { change in
  ///       switch change {
  ///       case .initial(let volume): print("is", volume as Any)
  ///       case .updated(let volume): print("became", volume)
  ///       case .deleted, .expired: print("is gone")
  ///       }
  ///     }
  ///
  /// Delivers `.initial` on this thread before the call returns, and later changes on the workspace's delivery queue:
  /// in commit order, without gaps or repetitions, after reads show the value and before the transaction's completion
  /// handler. Observers see only a transaction's final values. A value of another type is delivered as absent
  /// (`.initial(nil)`, `.deleted`) and logged. So is one that can't be read. If the reason may pass, such as a lock of
  /// another process, the observer receives the value as `.updated` after the next commit that can read it.
  ///
  /// Keep the handler short: callbacks run one at a time. Keep the result: releasing it cancels the subscription.
  ///
  /// Blocks the calling thread until `.initial` is delivered. If the workspace hasn't opened its file yet, the call
  /// first waits until running transactions are done and the file is open, unless a transaction's closure calls it.
  @_disfavoredOverload
  public func subscribe<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: CodableCoding<Element>.self, changeHandler: changeHandler)
  }

  /// Observes a key whose type is unknown, beginning with `.initial`. Delivers, and blocks the calling thread, as
  /// ``subscribe(_:of:changeHandler:)`` does.
  public func subscribe(
    _ key: String, changeHandler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    store.observe(hashed(key), handler: openingChanges(for: changeHandler))
  }

  /// Observes the keys that begin with a prefix, including keys that don't exist yet; "" observes the whole namespace.
  ///
  /// Delivers no `.initial`: the handler receives what is committed from now on, as with
  /// ``subscribe(_:of:changeHandler:)``. Values that a commit leaves unchanged are not delivered. Where several commits
  /// of another process are followed together, a long value may be skipped in favor of a later one; if the key is not
  /// in the cache, that may equal the value before these commits.
  ///
  /// Blocks the calling thread until it has read the existing keys, which it remembers while the subscription lasts;
  /// commits of this workspace wait meanwhile. If the workspace hasn't opened its file yet, the call waits as
  /// ``subscribe(_:of:changeHandler:)`` does.
  public func subscribe(
    withPrefix prefix: String, changeHandler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    store.observe(
      PrefixRange(namespace: namespace, prefix: prefix), handler: openingChanges(for: changeHandler))
  }

  /// Returns a sequence of the key's values: the committed one now, then each committed change; nil means no
  /// value.
  ///
  ///     for await volume in dictionary.subscribe("volume", of: Double.self) { … }
  ///
  /// `bufferingPolicy` decides what happens to values that are not consumed in time. The sequence ends with the
  /// workspace; ending the iteration cancels the subscription. The call blocks the calling thread as
  /// ``subscribe(_:of:changeHandler:)`` does.
  @_disfavoredOverload
  public func subscribe<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type,
    bufferingPolicy: AsyncStream<Element?>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element?> {
    stream(key, by: CodableCoding<Element>.self, bufferingPolicy: bufferingPolicy) { $0 }
  }

  /// Returns a sequence of the committed changes of the keys that begin with a prefix, from now on. Blocks the calling
  /// thread as ``subscribe(withPrefix:changeHandler:)`` does.
  public func changes(
    withPrefix prefix: String = "",
    bufferingPolicy: AsyncStream<DictionaryChange>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<DictionaryChange> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let range = PrefixRange(namespace: namespace, prefix: prefix)
      let subscription = store.observe(
        range, onEnd: { continuation.finish() }, handler: openingChanges { continuation.yield($0) })
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}
