import DflatCore

/// An ordered list of changes with an index by key: those that a transaction has staged, or that a group has applied.
final class ChangeList: UndoableState {
  private(set) var operations: [Operation] = []
  /// The number of `operations` in the index. A plain batch is indexed only when a transaction reads after it.
  private var indexed = 0
  private var index = Shard.Overlay()
  private var namespaces: NamespaceReferences

  init(namespaces: NamespaceTable) { self.namespaces = NamespaceReferences(in: namespaces) }

  func append(_ operation: Operation) {
    namespaces.keep(operation.namespace)
    operations.append(operation)
  }

  func append(contentsOf other: [Operation]) {
    other.withUnsafeBufferPointer { other in for index in other.indices { namespaces.keep(other[index].namespace) } }
    if operations.isEmpty { operations = other } else { operations += other }
  }

  /// Replaces the changes with others, which may use no other namespaces.
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

  /// True if the index includes all operations.
  var isIndexed: Bool { indexed == operations.count }

  /// The net changes: prefix removals, then the last write of each key that no later removal covers. A value that a
  /// transaction sets and then replaces is never committed, so no observer may see it (A4).
  var net: [Operation] {
    if operations.count < 2 { return operations }
    updateIndex()
    // Each key once and no removal: the changes are net already.
    if index.removals.isEmpty, index.values.count == operations.count { return operations }
    var seen: Set<HashedKey> = []
    var removals: [PrefixRange] = []
    var writes: [Operation] = []
    for operation in operations.reversed() {
      switch operation {
      case .removePrefix(let removal): removals.append(removal)
      case .set(let key, _), .keep(let key, _):
        if removals.contains(where: { $0.covers(key) }) || !seen.insert(key).inserted { continue }
        writes.append(operation)
      }
    }
    return removals.reversed().map { .removePrefix($0) } + writes.reversed()
  }

  /// Returns nil if the changes don't affect the key.
  func value(of key: HashedKey) -> CachedValue? {
    updateIndex()
    return index.value(of: key)
  }

  /// The combined effect of all changes.
  var overlay: Shard.Overlay {
    updateIndex()
    return index
  }

  private func updateIndex() {
    while indexed < operations.count {
      switch operations[indexed] {
      case .set(let key, let value): index.values[key] = value
      case .removePrefix(let removal): index.removePrefix(removal)
      case .keep(let key, let value?): index.values[key] = value
      case .keep(_, nil): break
      }
      indexed += 1
    }
  }
}
