/// One change to the dictionary.
enum Operation: Sendable {
  /// Sets a key's value; an absence removes the key.
  case set(HashedKey, CachedValue)
  /// Removes a key whose value has expired.
  case expire(HashedKey)
  case removePrefix(PrefixRange)
  /// Keeps the value of a key that an earlier removal covers. Nil in a commit of another process, if there is nothing
  /// to notify observers of: a later change overtook the value, the value is unchanged, or it can't be read.
  case keep(HashedKey, CachedValue?)

  @inline(__always)
  var namespace: UInt32 {
    switch self {
    case .set(let key, _), .keep(let key, _), .expire(let key): key.namespace
    case .removePrefix(let removal): removal.namespace
    }
  }

  /// The key of a single change; nil for a removal of many.
  @inline(__always)
  var key: String? {
    switch self {
    case .set(let key, _), .keep(let key, _), .expire(let key): key.string
    case .removePrefix: nil
    }
  }

  /// The range of a removal; nil for other changes.
  var removal: PrefixRange? { if case .removePrefix(let removal) = self { removal } else { nil } }

  var isDeferred: Bool { if case .set(_, .deferred) = self { true } else { false } }
}

/// The changes of one group member: prefix removals first, then at most one change of each key.
typealias MemberChanges = ArraySlice<Operation>

extension MemberChanges {
  /// The ranges that this member removes.
  var removals: PrefixRangeSet { holdsPrefixRemoval ? PrefixRangeSet(compactMap(\.removal)) : PrefixRangeSet() }

  /// The keys that this member's removals spare: to observers, a removal and a write of a key are one change.
  var rewritten: Set<HashedKey> {
    guard holdsPrefixRemoval else { return [] }
    var keys: Set<HashedKey> = []
    for operation in self {
      switch operation {
      case .set(let key, _), .keep(let key, _), .expire(let key): keys.insert(key)
      case .removePrefix: continue
      }
    }
    return keys
  }

  var holdsPrefixRemoval: Bool { if case .removePrefix? = first { true } else { false } }
}
