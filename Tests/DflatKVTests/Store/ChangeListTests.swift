import TestSupport
import Testing

@testable import DflatKV

@Suite(.timeLimit(.minutes(15))) struct ChangeListTests {
  private func set(_ key: String) -> Operation { .set(HashedKey(key, namespace: 0), .int(1)) }

  @Test("Undoing changes that no read has indexed keeps the index of earlier changes") func undo() {
    let changes = ChangeList(namespaces: NamespaceTable())
    changes.append(set("a"))
    #expect(changes.value(of: HashedKey("a", namespace: 0)) != nil)
    let undo = changes.undoPoint()
    changes.append(set("b"))
    undo()
    #expect(changes.isIndexed && changes.operations.count == 1)
  }

  @Test("A rotation divides the changes that follow it from those before, unless it is undone") func rotation() {
    let changes = ChangeList(namespaces: NamespaceTable())
    changes.append(set("a"))
    let undo = changes.undoPoint()
    changes.append(set("b"))
    changes.endRotation()
    #expect(!changes.isDivided)
    changes.append(set("c"))
    #expect(changes.isDivided && changes.parts.map { $0.compactMap(\.key) } == [["a", "b"], ["c"]])
    changes.endRotation()
    #expect(changes.parts.map(\.count) == [2, 1, 0])
    undo()
    changes.append(set("d"))
    changes.append(set("e"))
    #expect(!changes.isDivided)
  }

  @Test("Undoing changes that a read has indexed removes them from the index") func undoOfRead() {
    let changes = ChangeList(namespaces: NamespaceTable())
    changes.append(set("a"))
    let undo = changes.undoPoint()
    changes.append(set("b"))
    #expect(changes.value(of: HashedKey("b", namespace: 0)) != nil)
    undo()
    #expect(changes.value(of: HashedKey("b", namespace: 0)) == nil)
    #expect(changes.value(of: HashedKey("a", namespace: 0)) != nil)
  }

  @Test(
    "The net changes are the removals that no other covers, and the writes that no later change overtakes",
    arguments: 0..<50)
  func net(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let changes = ChangeList(namespaces: NamespaceTable())
    for step in 0..<300 {
      let key = "k\(Int.random(in: 0..<200, using: &generator))"
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<3: changes.append(.removePrefix(PrefixRange(namespace: 0, prefix: key)))
      case 3: changes.append(.expire(HashedKey(key, namespace: 0)))
      // A read updates the index.
      case 4: _ = changes.value(of: HashedKey(key, namespace: 0))
      default: changes.append(.set(HashedKey(key, namespace: 0), .int(Int64(step))))
      }
    }
    func description(_ operation: Operation) -> String? {
      switch operation {
      case .set(let key, let value): "\(key.string) = \(value)"
      case .expire(let key): "\(key.string) expires"
      case .removePrefix, .keep: nil
      }
    }
    let all = changes.operations
    let expected = all.indices.compactMap { index -> String? in
      guard let key = all[index].key.map({ HashedKey($0, namespace: 0) }) else { return nil }
      let isOvertaken = all[(index + 1)...].contains { later in
        if let removal = later.removal { return removal.covers(key) }
        return later.key.map { HashedKey($0, namespace: 0) } == key
      }
      return isOvertaken ? nil : description(all[index])
    }
    let net = changes.net
    #expect(net.compactMap { description($0) } == expected)
    let removals = net.compactMap(\.removal?.prefix)
    #expect(removals == PrefixRangeSet(all.compactMap(\.removal)).ranges.map(\.prefix))
    #expect(net.prefix(removals.count).allSatisfy { $0.removal != nil })
  }
}
