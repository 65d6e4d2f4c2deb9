import DflatSupport
import Testing

@Suite struct StronglyConnectedComponentsTests {
  @Test("Nodes that lead to each other have one number, and others have numbers of their own") func components() {
    // 0 → 1 ⇄ 2 → 3 → 3, 4 → 0
    let components = stronglyConnectedComponents(of: [[1], [2], [1, 3], [3], [0]])
    #expect(components[1] == components[2])
    #expect(Set(components).count == 4)
  }

  @Test("No node leads to a component with a higher number") func order() {
    let successors = [[1, 4], [2], [1, 3], [], [3, 5], [4]]
    let components = stronglyConnectedComponents(of: successors)
    for (node, successors) in successors.enumerated() {
      for successor in successors { #expect(components[successor] <= components[node]) }
    }
  }

  @Test("A path of 100,000 nodes is followed to its end") func longPath() {
    let count = 100_000
    let path = (0..<count).map { $0 + 1 < count ? [$0 + 1] : [] }
    #expect(Set(stronglyConnectedComponents(of: path)).count == count)
    #expect(Set(stronglyConnectedComponents(of: (0..<count).map { [($0 + 1) % count] })).count == 1)
  }
}
