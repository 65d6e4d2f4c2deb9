import DflatCore
import Synchronization

/// One subscription to keys.
class Observer: @unchecked Sendable {  // its variables are constants, and what they refer to is Sendable
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
final class KeyObserver: Observer, @unchecked Sendable {  // as its superclass, but for `token`
  /// Its place among the key's observers. Guarded by the shard's lock.
  var token: OrderedBag<KeyObserver>.Token?
}

/// Observes the keys of a namespace that begin with a prefix.
final class PrefixObserver: Observer, @unchecked Sendable {  // as its superclass, but for `token`
  let range: Clear
  private let namespace: NamespaceUse
  /// The keys that exist in the range: they tell a removal, and are compared with the file when commits were missed.
  /// Only touched under the publication lock, or by `PrefixObservers` while it registers.
  private let known: Lock<Set<HashedKey>>
  /// Its place among the prefix observers. Guarded by their lock.
  fileprivate var token: OrderedBag<PrefixObserver>.Token?

  init(
    core: WorkspaceCore, range: Clear, in namespaces: NamespaceTable, known: some Sequence<String>,
    handler: @escaping @Sendable (DictionaryChange) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    self.range = range
    self.namespace = NamespaceUse(of: range.namespace, in: namespaces)
    self.known = Lock(Set(known.map { HashedKey($0, namespace: range.namespace) }))
    super.init(in: core, handler: handler, onEnd: onEnd)
  }

  /// Notes a change; false when it is none: the removal of a key that was not there.
  func note(_ key: HashedKey, isAbsent: Bool) -> Bool {
    known.withLock { known in
      if isAbsent { return known.remove(key) != nil }
      known.insert(key)
      return true
    }
  }

  /// The known keys that a removal takes and that are not written again, which are forgotten.
  func take(_ clear: Clear, except rewritten: Set<HashedKey>) -> [HashedKey] {
    guard clear.namespace == range.namespace else { return [] }
    return known.withLock { known in
      let taken = known.filter { clear.covers($0) && !rewritten.contains($0) }
      known.subtract(taken)
      return taken.sorted { $0.string.precedesInBytes($1.string) }
    }
  }

  /// Replaces what is known; the keys that are gone.
  func replaceKnown(with keys: some Sequence<HashedKey>) -> [HashedKey] {
    known.withLock { known in
      let present = Set(keys)
      defer { known = present }
      return known.subtracting(present).sorted { $0.string.precedesInBytes($1.string) }
    }
  }
}

/// The prefix observers of a workspace.
final class PrefixObservers: Sendable {
  private let observers = Lock(OrderedBag<PrefixObserver>())
  private let count = Atomic(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }
  var all: [PrefixObserver] { isEmpty ? [] : observers.withLock { Array($0) } }

  func add(_ observer: PrefixObserver) {
    observers.withLock { observers in
      observer.token = observers.append(observer)
      count.store(observers.count, ordering: .releasing)
    }
  }

  func remove(_ observer: PrefixObserver) {
    observers.withLock { observers in
      if let token = observer.token { observers.remove(token) }
      count.store(observers.count, ordering: .releasing)
    }
  }
}
