import DflatBuffers
import DflatEntities
import Foundation
import GoldenModels
import Testing

@Suite struct RecursionTests {
  typealias R = Golden.Recursion

  private func chain(_ count: Int) -> R.Node {
    (1..<count).reduce(R.Node(value: 0)) { R.Node(value: Int32($1), next: $0) }
  }

  @Test("Values of recursive types are read back") func valuesInsideThemselvesAreReadBack() throws {
    try expectRoundTrip(chain(10))
    try expectRoundTrip(R.Even(odd: R.Odd(even: R.Even(odd: R.Odd(name: "deep")), name: "odd")))
    try expectRoundTrip(R.Tree(children: [R.Tree(label: "a"), R.Tree(children: [R.Tree()])], label: "root"))
    let sum = R.Sum(left: .literal(R.Literal(value: 1)), right: .text("two"))
    let negation = R.Negation(of: R.Negated(expression: .sum(sum)))
    try expectRoundTrip(R.Sum(left: .negation(negation), right: .sum(sum)))
    try expectRoundTrip(R.Leaf(flat: .node(chain(3)), list: [.sum(sum), .text("")]))
  }

  @Test("A field can have the name of the storage that Swift adds for a boxed one") func storageOfBoxIsAName() throws {
    let value = R.Chain(next: R.Chain(_next_: 1), _next_: 2)
    try expectRoundTrip(value)
    #expect(value.next?._next_ == 1)
  }

  @Test("Boxed values have value semantics") func boxedValuesAreValues() {
    var first = chain(3)
    let second = first
    first.next?.next?.value = 42
    #expect(first.next?.next?.value == 42)
    #expect(second.next?.next?.value == 0)
    #expect(first != second)
  }

  @Test("The encoder refuses a chain that is too deep to be read") func whatCanBeWrittenCanBeRead() throws {
    try expectRoundTrip(chain(64))
    var builder = FlatBufferBuilder()
    let error = #expect(throws: FlatBufferError.self) { try chain(65).encoded(with: &builder) }
    #expect(error?.code == .tooDeep)
  }

  /// Another writer may have made the chain. Reading it without a limit would overflow the thread's stack.
  @Test("A chain of 100,000 tables is refused as too deep") func deepBytesAreAnError() throws {
    var builder = FlatBufferBuilder()
    var node: FlatBufferOffset?
    for _ in 0..<100_000 {
      builder.startTable(slots: 2)
      builder.add(node, at: 6)
      node = builder.endTable()
    }
    let data = try finished(#require(node), &builder)
    let error = #expect(throws: FlatBufferError.self) { try R.Node(data: data) }
    #expect(error?.code == .tooDeep)
    #expect(error?.table == "Golden.Recursion.Node")
  }
}
