import DflatCore
import Synchronization

/// One subscription to keys.
class Observer: @unchecked Sendable {  // its variables are constants, and what they refer to is Sendable
  private let callbacks: ObserverCallbacks<DictionaryChange>

  init(handler: @escaping @Sendable (DictionaryChange) -> Void, onEnd: @escaping @Sendable () -> Void) {
    callbacks = ObserverCallbacks(handler: handler, onEnd: onEnd)
  }

  func deliver(_ change: DictionaryChange) { callbacks.deliver(change) }
  func cancel() -> Bool { callbacks.cancel() }
  func end() { callbacks.end() }
}

/// Observes one key. Registered in the key's shard.
final class KeyObserver: Observer, @unchecked Sendable {}

/// Observes the keys of a namespace that begin with a prefix.
final class PrefixObserver: Observer, @unchecked Sendable {
  let range: Clear
  /// The keys that exist in the range: they tell a removal, and are compared with the file when commits were missed.
  /// Only touched under the publication lock, or by `PrefixObservers` while it registers.
  private let known: Lock<Set<[UInt8]>>

  init(
    range: Clear, known: some Sequence<String>, handler: @escaping @Sendable (DictionaryChange) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.range = range
    self.known = Lock(Set(known.map { Array($0.utf8) }))
    super.init(handler: handler, onEnd: onEnd)
  }

  /// Notes a change; false when it is none: the removal of a key that was not there.
  func note(_ key: HashedKey, isAbsent: Bool) -> Bool {
    known.withLock { known in
      let bytes = Array(key.string.utf8)
      if isAbsent { return known.remove(bytes) != nil }
      known.insert(bytes)
      return true
    }
  }

  /// The known keys that a removal takes and that are not written again, which are forgotten.
  func take(_ clear: Clear, except rewritten: Set<HashedKey>) -> [HashedKey] {
    guard clear.namespace == range.namespace else { return [] }
    return known.withLock { known in
      let prefix = Array(clear.prefix.utf8)
      var taken: [HashedKey] = []
      for bytes in known where bytes.starts(with: prefix) {
        let key = HashedKey(String(decoding: bytes, as: UTF8.self), namespace: clear.namespace)
        if !rewritten.contains(key) { taken.append(key) }
      }
      for key in taken { known.remove(Array(key.string.utf8)) }
      return taken.sorted { $0.string.utf8.lexicographicallyPrecedes($1.string.utf8) }
    }
  }

  /// Replaces what is known; the keys that are gone.
  func replaceKnown(with keys: some Sequence<String>) -> [String] {
    known.withLock { known in
      let present = Set(keys.map { Array($0.utf8) })
      defer { known = present }
      return known.subtracting(present).map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
  }
}

/// The prefix observers of a workspace.
final class PrefixObservers: Sendable {
  private let observers = Lock<[PrefixObserver]>([])
  private let count = Atomic(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }
  var all: [PrefixObserver] { isEmpty ? [] : observers.withLock { $0 } }

  func add(_ observer: PrefixObserver) {
    observers.withLock { observers in
      observers.append(observer)
      count.store(observers.count, ordering: .releasing)
    }
  }

  func remove(_ observer: PrefixObserver) {
    observers.withLock { observers in
      observers.removeAll { $0 === observer }
      count.store(observers.count, ordering: .releasing)
    }
  }
}
