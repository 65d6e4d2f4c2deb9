import DflatCore

/// A subscription to one key or a range of keys.
class Observer: @unchecked Sendable {  // its stored properties are immutable and Sendable
  private let callbacks: ObserverCallbacks<DictionaryChange>

  init(
    in core: WorkspaceCore, handler: @escaping @Sendable (DictionaryChange) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    callbacks = ObserverCallbacks(in: core, handler: handler, onEnd: onEnd)
  }

  func deliver(_ change: DictionaryChange) { callbacks.deliver(change) }
  func cancel() -> Bool { callbacks.cancel() }
  func end() { callbacks.end() }
}

/// Observes one key. Registered in the key's shard.
final class KeyObserver: Observer, @unchecked Sendable {  // like its superclass, except for `token`
  /// The observer's position in the list of the key's observers. Guarded by the shard's lock.
  var token: OrderedBag<KeyObserver>.Token?
}
