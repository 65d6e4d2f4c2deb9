import DflatCore

/// An ordered list of changes with an index by key: those that a transaction has staged, or that a group has applied.
///
/// One thread at a time uses a list, and none of its methods releases a value in the middle of an access, which could run
/// a user's deinitializer. So accesses are not checked for overlaps at run time, which would take a twentieth of a
/// transaction's time.
final class ChangeList: UndoableState {
  @exclusivity(unchecked)
  private(set) var operations: [Operation] = []
  /// The number of `operations` in the index. A plain batch is indexed only when a transaction reads after it.
  @exclusivity(unchecked)
  private var indexed = 0
  @exclusivity(unchecked)
  private var index = Shard.Overlay()
  @exclusivity(unchecked)
  private var namespaces: NamespaceReferences
  /// The ends of the rotations of seal keys among `operations`.
  @exclusivity(unchecked)
  private var rotationEnds: [Int] = []

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
    let replaced = (operations, index)
    operations = others
    rotationEnds = []
    indexed = 0
    index = Shard.Overlay()
    withExtendedLifetime(replaced) {}
  }

  func undoPoint() -> () -> Void {
    let (count, ends) = (operations.count, rotationEnds)
    return { [self] in
      let undone = (operations, index)
      defer { withExtendedLifetime(undone) {} }
      operations = Array(operations.prefix(count))
      rotationEnds = ends
      guard indexed > count else { return }
      indexed = 0
      index = Shard.Overlay()
    }
  }

  var isEmpty: Bool { operations.isEmpty }

  /// True if the index includes all operations.
  var isIndexed: Bool { indexed == operations.count }

  // MARK: Rotations

  /// Notes that the last operations seal a namespace's values again. Later writes are compared with these values.
  func endRotation() { rotationEnds.append(operations.count) }

  /// True if operations follow a rotation.
  var isDivided: Bool { rotationEnds.first.map { $0 < operations.count } ?? false }

  /// The operations up to the end of each rotation, and those after the last one.
  var parts: [ArraySlice<Operation>] {
    zip([0] + rotationEnds, rotationEnds + [operations.count]).map { operations[$0..<$1] }
  }

  // MARK: Net changes

  /// The net changes: prefix removals, without those that others cover, then the last write of each key that no later
  /// removal covers. A value that a transaction sets and then replaces is never committed, so no observer may see it
  /// (A4).
  var net: [Operation] {
    if operations.count < 2 { return operations }
    updateIndex()
    // Each key once and no removal: the changes are net already.
    if index.removals.isEmpty, index.values.count == operations.count { return operations }
    return Self.net(of: operations[...])
  }

  /// Returns the net changes of consecutive operations.
  static func net(of operations: ArraySlice<Operation>) -> [Operation] {
    var seen: Set<HashedKey> = []
    var removals = PrefixRangeSet()
    var writes: [Operation] = []
    for operation in operations.reversed() {
      switch operation {
      case .removePrefix(let removal): removals.insert(removal)
      case .set(let key, _), .keep(let key, _), .expire(let key):
        if removals.covers(key) || !seen.insert(key).inserted { continue }
        writes.append(operation)
      }
    }
    return removals.ranges.map { .removePrefix($0) } + writes.reversed()
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
      case .removePrefix:
        // Removals in a row look at the values once.
        let removals = operations[indexed...].prefix(while: { $0.removal != nil })
        index.remove(PrefixRangeSet(removals.compactMap(\.removal)))
        indexed = removals.endIndex
        continue
      case .expire(let key): index.values[key] = .absent
      case .keep(let key, let value?): index.values[key] = value
      case .keep(_, nil): break
      }
      indexed += 1
    }
  }
}
