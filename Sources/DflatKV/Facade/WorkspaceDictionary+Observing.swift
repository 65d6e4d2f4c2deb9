public import DflatCore

extension WorkspaceDictionary {
  /// Observes a key: its committed value now, then every committed change, by whichever process.
  ///
  ///     let subscription = dictionary.subscribe("volume", of: Double.self) { change in
  ///       switch change {
  ///       case .initial(let volume): print("is", volume as Any)
  ///       case .updated(let volume): print("became", volume)
  ///       case .deleted: print("is gone")
  ///       }
  ///     }
  ///
  /// `.initial` is delivered on this thread before the call returns; everything later on the workspace's delivery queue, in
  /// commit order, without gap or repetition, after reads show it and before the transaction's completion handler; of a
  /// transaction only what it leaves is told. Keep the handler short: callbacks wait for each other. A value of another
  /// type is told as absent (`.initial(nil)`, `.deleted`) and logged. Keep the result: releasing it cancels.
  @_disfavoredOverload
  public func subscribe<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type,
    changeHandler: @escaping @Sendable (_: SubscribedDictionaryValue<Element>) -> Void
  ) -> WorkspaceSubscription {
    subscribe(key, by: CodableCoding<Element>.self, changeHandler: changeHandler)
  }

  /// Observes a key whose type is not known, `.initial` first.
  public func subscribe(
    _ key: String, changeHandler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    store.observe(hashed(key), handler: changeHandler)
  }

  /// Observes the keys that begin with a prefix, those that don't exist yet too; "" observes the whole namespace.
  ///
  /// There is no `.initial`: the handler is told of what is committed from now on, as with ``subscribe(_:of:changeHandler:)``.
  /// What a commit leaves as it was is not told. Of another process's commits that are followed together, a long value may be
  /// passed over for a later one; where the key is not in the cache, that may be the value that it had before them.
  /// The existing keys are read, and remembered while the subscription lasts.
  public func subscribe(
    withPrefix prefix: String, changeHandler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    store.observe(Clear(namespace: namespace, prefix: prefix), handler: changeHandler)
  }

  /// The values of a key: the committed one now, then each that is committed; nil for none.
  ///
  ///     for await volume in dictionary.subscribe("volume", of: Double.self) { … }
  ///
  /// What happens to values that are not taken in time is the policy's choice. The sequence ends with the workspace;
  /// ending the iteration ends the subscription.
  @_disfavoredOverload
  public func subscribe<Element: DictionaryCodable>(
    _ key: String, of type: Element.Type,
    bufferingPolicy: AsyncStream<Element?>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<Element?> {
    stream(key, by: CodableCoding<Element>.self, bufferingPolicy: bufferingPolicy)
  }

  /// The committed changes of the keys that begin with a prefix, from now on.
  public func changes(
    withPrefix prefix: String = "",
    bufferingPolicy: AsyncStream<DictionaryChange>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<DictionaryChange> {
    AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
      let range = Clear(namespace: namespace, prefix: prefix)
      let subscription = store.observe(range, onEnd: { continuation.finish() }) { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}
