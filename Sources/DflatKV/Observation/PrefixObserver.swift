import DflatCore
import DflatSupport

/// Observes the keys of a namespace that begin with a prefix.
final class PrefixObserver: Observer, @unchecked Sendable {  // like its superclass, except for `token`
  let range: PrefixRange
  private let namespace: NamespaceReference
  /// The existing keys of the range, for reporting removals and for comparing with the file after missed commits. Used
  /// only under the publication lock.
  private let known: Lock<Set<HashedKey>>
  /// The observer's position in the list of prefix observers. Guarded by the list's lock.
  var token: OrderedBag<PrefixObserver>.Token?

  init(
    core: WorkspaceCore, range: PrefixRange, in namespaces: NamespaceTable, known: some Sequence<String>,
    handler: @escaping @Sendable (DictionaryChange) -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    self.range = range
    self.namespace = NamespaceReference(of: range.namespace, in: namespaces)
    self.known = Lock(Set(known.map { HashedKey($0, namespace: range.namespace) }))
    super.init(in: core, handler: handler, onEnd: onEnd)
  }

  /// Records a change. Returns false for the removal of a key that didn't exist.
  func note(_ key: HashedKey, isAbsent: Bool) -> Bool {
    known.withLock { known in
      if isAbsent { return known.remove(key) != nil }
      known.insert(key)
      return true
    }
  }

  /// Removes and returns the known keys that a removal covers and that aren't rewritten, in byte order.
  func take(_ removal: PrefixRange, except rewritten: Set<HashedKey>) -> [HashedKey] {
    guard removal.namespace == range.namespace else { return [] }
    return known.withLock { known in
      let taken = known.filter { removal.covers($0) && !rewritten.contains($0) }
      known.subtract(taken)
      return taken.sorted { $0.string.precedesInBytes($1.string) }
    }
  }

  /// Replaces the known keys. Returns those that are gone, in byte order.
  func replaceKnown(with keys: some Sequence<HashedKey>) -> [HashedKey] {
    known.withLock { known in
      let present = Set(keys)
      defer { known = present }
      return known.subtracting(present).sorted { $0.string.precedesInBytes($1.string) }
    }
  }
}
