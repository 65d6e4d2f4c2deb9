/// One change of the dictionary.
enum Operation: Sendable {
  /// A key's new value; an absence removes the key.
  case set(HashedKey, CachedValue)
  case clear(Clear)
}

/// Changes in their order, and what they leave of each key: what a transaction stages, and what a group has applied.
final class ChangeList {
  private(set) var operations: [Operation] = []
  /// How many of `operations` are in the index. Plain batches are indexed only when a transaction reads after them.
  private var indexed = 0
  private var index = Shard.Overlay()

  func append(_ operation: Operation) { operations.append(operation) }

  func append(contentsOf other: ChangeList) { operations += other.operations }

  var isEmpty: Bool { operations.isEmpty }

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
