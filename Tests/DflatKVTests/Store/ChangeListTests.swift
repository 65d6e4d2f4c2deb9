import Testing

@testable import DflatKV

@Suite struct ChangeListTests {
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
}
