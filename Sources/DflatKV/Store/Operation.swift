/// One change of the dictionary.
enum Operation: Sendable {
  /// A key's new value; an absence removes the key.
  case set(HashedKey, CachedValue)
  case clear(Clear)

  var isDeferred: Bool { if case .set(_, .deferred) = self { true } else { false } }
}

/// What one member of a group changes: removals of ranges first, then at most one write of a key.
typealias MemberChanges = ArraySlice<Operation>

extension MemberChanges {
  /// The keys that are written behind a removal of a range that takes them: to observers that is one change, a write.
  var rewritten: Set<HashedKey> {
    guard holdsClear else { return [] }
    var keys: Set<HashedKey> = []
    for case .set(let key, _) in self { keys.insert(key) }
    return keys
  }

  var holdsClear: Bool { if case .clear? = first { true } else { false } }
}

/// Changes in their order, and what they leave of each key: what a transaction stages, and what a group has applied.
final class ChangeList {
  private(set) var operations: [Operation] = []
  /// How many of `operations` are in the index. Plain batches are indexed only when a transaction reads after them.
  private var indexed = 0
  private var index = Shard.Overlay()

  func append(_ operation: Operation) { operations.append(operation) }

  func append(contentsOf other: [Operation]) { operations += other }

  var isEmpty: Bool { operations.isEmpty }

  /// The same outcome with at most one change of a key: removals of ranges, then the last write of each key that none of
  /// them takes away. What a transaction changes and changes back was never committed, and nobody is to see it (A4).
  var net: [Operation] {
    if operations.count < 2 { return operations }
    updateIndex()
    // Each key once, and no range: nothing to leave out.
    if index.clears.isEmpty, index.values.count == operations.count { return operations }
    var seen: Set<HashedKey> = []
    var clears: [Clear] = []
    var writes: [Operation] = []
    for operation in operations.reversed() {
      switch operation {
      case .clear(let clear): clears.append(clear)
      case .set(let key, _):
        if clears.contains(where: { $0.covers(key) }) || !seen.insert(key).inserted { continue }
        writes.append(operation)
      }
    }
    return clears.reversed().map { .clear($0) } + writes.reversed()
  }

  /// Nil when the changes leave the key alone.
  func value(of key: HashedKey) -> CachedValue? {
    updateIndex()
    return index.value(of: key)
  }

  /// All that the changes leave.
  var overlay: Shard.Overlay {
    updateIndex()
    return index
  }

  private func updateIndex() {
    while indexed < operations.count {
      switch operations[indexed] {
      case .set(let key, let value): index.values[key] = value
      case .clear(let clear): index.clear(clear)
      }
      indexed += 1
    }
  }
}
