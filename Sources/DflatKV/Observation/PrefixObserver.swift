import DflatCore
import DflatSupport

/// Observes the keys of a namespace that begin with a prefix.
final class PrefixObserver: Observer, @unchecked Sendable {  // like its superclass, except for `token`
  let range: PrefixRange
  private let namespace: NamespaceReference
  /// The keys that exist in the range, for reporting removals and for comparing with the file after missed commits.
  struct Known {
    var keys: Set<HashedKey> = []
    /// The instants at which the values expire that do.
    var instants: [HashedKey: Expiration] = [:]
  }

  /// A key that is gone, and the instant at which its value was to expire.
  typealias Gone = (key: HashedKey, expiration: Expiration?)

  /// Used only under the publication lock, and at the end.
  private let known: Lock<Known>
  /// The observer's position in the list of prefix observers. Guarded by the list's lock.
  var token: OrderedBag<PrefixObserver>.Token?

  init(
    core: WorkspaceCore, range: PrefixRange, in namespaces: NamespaceTable, known: Known,
    handler: @escaping @Sendable (DictionaryChange) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    self.range = range
    self.namespace = NamespaceReference(of: range.namespace, in: namespaces)
    self.known = Lock(known)
    super.init(in: core, handler: handler, onEnd: onEnd)
  }

  /// Also forgets the keys: a subscription that the program keeps holds its observer.
  override func end() {
    super.end()
    known.withLock { $0 = Known() }
  }

  /// Records a value that isn't an absence.
  func note(_ key: HashedKey, expiring expiration: Expiration?) {
    known.withLock { known in
      known.keys.insert(key)
      if expiration != nil || !known.instants.isEmpty { known.instants[key] = expiration }
    }
  }

  /// Records the removal of a key. Returns nil if it didn't exist.
  func noteRemoval(of key: HashedKey) -> Gone? {
    known.withLock { known in
      known.keys.remove(key).map { _ in (key, known.instants.removeValue(forKey: key)) }
    }
  }

  /// Removes and returns the known keys that removals cover and that aren't rewritten, in byte order.
  func take(_ removals: PrefixRangeSet, except rewritten: Set<HashedKey>) -> [Gone] {
    guard removals.overlaps(range) else { return [] }
    return known.withLock { known in
      let taken = known.keys.filter { removals.covers($0) && !rewritten.contains($0) }
      known.keys.subtract(taken)
      return taken.sorted { $0.string.precedesInBytes($1.string) }.map { key in
        (key, known.instants.isEmpty ? nil : known.instants.removeValue(forKey: key))
      }
    }
  }

  /// Replaces what is known. Returns the keys that are gone, in byte order.
  func replaceKnown(with present: Known) -> [Gone] {
    known.withLock { known in
      let old = known
      known = present
      return old.keys.subtracting(present.keys).sorted { $0.string.precedesInBytes($1.string) }
        .map { ($0, old.instants[$0]) }
    }
  }
}
