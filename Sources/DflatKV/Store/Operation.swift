/// One change of the dictionary.
enum Operation: Sendable {
  /// A key's new value; an absence removes the key.
  case set(HashedKey, CachedValue)
  case clear(Clear)
  /// Leaves alone a key that a removal before it would take: it has the value that it had before both. Nil for a value of
  /// another process that a later change has overtaken: nobody knows it, and nobody is told.
  case keep(HashedKey, CachedValue?)

  @inline(__always)
  var namespace: UInt32 {
    switch self {
    case .set(let key, _), .keep(let key, _): key.namespace
    case .clear(let clear): clear.namespace
    }
  }

  var isDeferred: Bool { if case .set(_, .deferred) = self { true } else { false } }
}

/// What one member of a group changes: removals of ranges first, then at most one change of a key.
typealias MemberChanges = ArraySlice<Operation>

extension MemberChanges {
  /// The keys that a removal of a range before them does not take: to observers a removal and a write are one change.
  var rewritten: Set<HashedKey> {
    guard holdsClear else { return [] }
    var keys: Set<HashedKey> = []
    for operation in self {
      switch operation {
      case .set(let key, _), .keep(let key, _): keys.insert(key)
      case .clear: continue
      }
    }
    return keys
  }

  var holdsClear: Bool { if case .clear? = first { true } else { false } }
}

/// Changes in their order, and what they leave of each key: what a transaction stages, and what a group has applied.
final class ChangeList: UndoableState {
  private(set) var operations: [Operation] = []
  /// How many of `operations` are in the index. Plain batches are indexed only when a transaction reads after them.
  private var indexed = 0
  private var index = Shard.Overlay()
  private var namespaces: NamespaceUses

  init(namespaces: NamespaceTable) { self.namespaces = NamespaceUses(in: namespaces) }

  func append(_ operation: Operation) {
    namespaces.keep(operation.namespace)
    operations.append(operation)
  }

  func append(contentsOf other: [Operation]) {
    other.withUnsafeBufferPointer { other in for index in other.indices { namespaces.keep(other[index].namespace) } }
    if operations.isEmpty { operations = other } else { operations += other }
  }

  /// Puts other changes in the place of these, in no other namespaces.
  func replaceAll(with others: [Operation]) {
    operations = others
    indexed = 0
    index = Shard.Overlay()
  }

  func undoPoint() -> () -> Void {
    let count = operations.count
    return { [self] in
      operations.removeSubrange(count...)
      guard indexed > count else { return }
      indexed = 0
      index = Shard.Overlay()
    }
  }

  var isEmpty: Bool { operations.isEmpty }

  /// True when `value(of:)` has nothing to add to the index first.
  var isIndexed: Bool { indexed == operations.count }

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
      case .set(let key, _), .keep(let key, _):
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
      case .keep(let key, let value?): index.values[key] = value
      case .keep(_, nil): break
      }
      indexed += 1
    }
  }
}
