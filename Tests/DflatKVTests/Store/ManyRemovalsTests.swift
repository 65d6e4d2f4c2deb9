import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// Many removals of prefixes in one commit.
@Suite(.timeLimit(.minutes(15))) struct ManyRemovalsTests {
  @Test(
    "The removals of a transaction, or of plain writes that wait together, look at each cached key once",
    arguments: [false, true])
  func cached(isPlain: Bool) throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let d = test.dictionary
    let shards = DictionaryStore.of(test.core).shards
    func visits() -> Int {
      (0..<ShardTable.count).reduce(0) { sum, index in sum + shards.withShard(at: index) { $0.visits } }
    }
    let count = 2_000
    for number in 0..<count { d["k\(number).x"] = number }
    d["other"] = 1
    try d.synchronize()
    let (told, toldOfKey) = (EventLog<String>(), EventLog<SubscribedDictionaryValue<Int>>())
    let subscriptions = [
      d.subscribe(withPrefix: "k") { told.append("\($0.event) \($0.key)") },
      d.subscribe("k8.x", of: Int.self) { toldOfKey.append($0) },
    ]
    let before = visits()
    let change: @Sendable (WorkspaceDictionary) -> Void = { dictionary in
      for number in stride(from: 0, to: count, by: 2) {
        dictionary.removeAll(withPrefix: "k\(number).")
        if number % 4 == 0 { dictionary["k\(number).y"] = number }
      }
      // Covers other removals.
      dictionary.removeAll(withPrefix: "k100")
    }
    if isPlain {
      let writeToken = try HeldWriteToken(test)
      change(d)
      try writeToken.end()
      try d.synchronize()
    } else {
      try test.workspace.transactAndWait { change($0.dictionary) }
    }
    #expect(visits() - before <= 2 * count)
    try test.settle()
    let numbers = (0..<count).filter { !"\($0)".hasPrefix("100") }
    let kept = numbers.filter { $0 % 2 == 1 }.map { "k\($0).x" }
    let written = numbers.filter { $0 % 4 == 0 }.map { "k\($0).y" }
    let removed = (0..<count).filter { $0 % 2 == 0 || "\($0)".hasPrefix("100") }.map { "k\($0).x" }
    // Removed keys come first, in the order of their bytes.
    #expect(Array(told.events.prefix(removed.count)) == removed.sorted().map { "deleted \($0)" })
    #expect(told.events.dropFirst(removed.count).sorted() == written.sorted().map { "updated \($0)" })
    #expect(toldOfKey.events == [.initial(8), .deleted])
    let fresh = try test.another()
    let left = (kept + written + ["other"]).sorted()
    #expect(d.keys == left)
    #expect(fresh.dictionary.keys == left)
    for subscription in subscriptions { subscription.cancel() }
  }
}
