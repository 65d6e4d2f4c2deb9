import DflatCore

/// The keys and ranges of keys that observed closures have read, with their observations.
final class TrackedReads: Sendable {
  private struct State {
    /// The reads of each observation's newest run.
    var reads: [ObjectIdentifier: (observer: ReadObserver, reads: DictionaryReads)] = [:]
    var keys: [HashedKey: [ReadObserver]] = [:]
    /// The observations of ranges, by their prefixes.
    var ranges: [HashedKey: [ReadObserver]] = [:]
    /// The observations of the list of namespaces.
    var namespaces: [ReadObserver] = []
  }

  private let state = Lock(State())

  /// The number of tracked keys and ranges, for tests.
  var count: Int { state.withLock { $0.keys.count + $0.ranges.count } }

  // MARK: Tracking

  /// Replaces the reads that are tracked for an observation. Nil means none.
  ///
  /// - Returns: True if there are reads that were not tracked before.
  func replace(with reads: DictionaryReads?, for observer: ReadObserver) -> Bool {
    // Released after the lock.
    var replaced: DictionaryReads?
    defer { withExtendedLifetime(replaced) {} }
    return state.withLock { state in
      let id = ObjectIdentifier(observer)
      let old = state.reads[id]?.reads
      replaced = old
      if old == nil, reads == nil { return false }
      state.reads[id] = reads.map { (observer: observer, reads: $0) }
      let hasNewKeys = Self.replace(old?.keys ?? [], with: reads?.keys ?? [], in: &state.keys, for: observer)
      let hasNewRanges = Self.replace(
        old?.prefixes ?? [], with: reads?.prefixes ?? [], in: &state.ranges, for: observer)
      let (had, has) = (old?.includesNamespaces ?? false, reads?.includesNamespaces ?? false)
      if had, !has { state.namespaces.removeAll { $0 === observer } }
      if has, !had { state.namespaces.append(observer) }
      return hasNewKeys || hasNewRanges || (has && !had)
    }
  }

  /// Returns true if there are new keys.
  private static func replace(
    _ old: Set<HashedKey>, with new: Set<HashedKey>, in observers: inout [HashedKey: [ReadObserver]],
    for observer: ReadObserver
  ) -> Bool {
    for gone in old.subtracting(new) {
      observers[gone]?.removeAll { $0 === observer }
      if observers[gone]?.isEmpty == true { observers[gone] = nil }
    }
    let added = new.subtracting(old)
    for key in added { observers[key, default: []].append(observer) }
    return !added.isEmpty
  }

  /// Forgets all observations.
  func removeAll() {
    let removed = state.withLock { state in
      defer { state = State() }
      return state
    }
    withExtendedLifetime(removed) {}
  }

  // MARK: Commits

  /// Returns the callbacks of the observations that have read something that a commit may have changed.
  ///
  /// Always takes the lock: an observation that begins to track afterwards sees the number of the commit.
  func deliveries(after members: some Sequence<MemberChanges>) -> [Delivery] {
    state.withLock { state in
      if state.reads.isEmpty { return [] }
      var deliveries: [Delivery] = []
      func notify(_ observers: [ReadObserver]) {
        for observer in observers { if let delivery = observer.invalidate() { deliveries.append(delivery) } }
      }
      for member in members {
        let removals = member.removals
        if !removals.isEmpty {
          for (key, observers) in state.keys where removals.covers(key) { notify(observers) }
          for (prefix, observers) in state.ranges where removals.overlaps(PrefixRange(prefix)) { notify(observers) }
        }
        for operation in member {
          notify(state.namespaces)
          switch operation {
          case .set(let key, _), .keep(let key, nil), .expire(let key):
            if let observers = state.keys[key] { notify(observers) }
            for (prefix, observers) in state.ranges where PrefixRange(prefix).covers(key) { notify(observers) }
          case .keep(_, _?), .removePrefix: continue
          }
        }
      }
      return deliveries
    }
  }

  /// Returns the callbacks of all observations, because anything may have changed.
  func deliveriesToAll() -> [Delivery] { state.withLock { $0.reads.values.compactMap { $0.observer.invalidate() } } }
}

extension PrefixRange {
  /// Creates the range of a prefix.
  fileprivate init(_ prefix: HashedKey) { self.init(namespace: prefix.namespace, prefix: prefix.string) }
}
