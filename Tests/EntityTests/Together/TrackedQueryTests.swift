import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatEntities

/// The queries of observed closures are the same from run to run if their predicates are, bit by bit.
@Suite struct TrackedQueryTests {
  private let balance = QueryNode.field(QueryField(FieldPath(.scalar(10, .double, default: .real(0)))))

  private func tracked(_ predicate: QueryNode?) -> TrackedQuery {
    TrackedQuery(RowQuery(Member._entity, predicate, orderBy: [], limit: nil, offset: 0))
  }

  private func isLess(than value: Double) -> QueryNode { .comparison(.less, balance, .constant(.real(value))) }

  @Test("Predicates are compared by the bits of numbers and the bytes of texts") func equality() {
    let name = QueryNode.field(QueryField(FieldPath(.string(6))))
    let numbers: [Double] = [0, -0.0, 1, .nan, -.nan, .signalingNaN, .infinity]
    let others: [QueryNode?] = [
      nil, .comparison(.less, balance, .constant(.null)),
      .hasPrefix(name, "caf\u{e9}"), .hasPrefix(name, "cafe\u{301}"),
      .isIn(balance, []), .isIn(balance, [.real(.nan)]), .isIn(balance, [.real(.nan), .real(1)]),
      .isIn(balance, [.real(0)]), .isIn(balance, [.real(-0.0)]), .isIn(balance, [.null]),
      .or(.isIn(balance, [.real(1)]), .isIn(balance, [.real(2), .real(3)])),
      .or(.isIn(balance, [.real(1), .real(2)]), .isIn(balance, [.real(3)])),
      .and(.not(isLess(than: .nan)), .isNull(balance)), .and(.not(isLess(than: 1)), .isNull(balance)),
      .comparison(.equal, .arithmetic(.add, balance, .constant(.real(.nan)), .double), .constant(.real(1))),
      .comparison(.equal, .arithmetic(.add, balance, .constant(.real(1)), .double), .constant(.real(.nan))),
    ]
    let note = Member.note
    let texts: [QueryNode?] = [
      note.contains("caf\u{e9}").node, note.contains("cafe\u{301}").node,
      note.contains("caf\u{e9}", ignoringCase: true).node, note.contains("cafe\u{301}", ignoringCase: true).node,
      note.hasSuffix("caf\u{e9}").node, note.hasSuffix("caf\u{e9}", ignoringCase: true).node,
      note.hasPrefix("caf\u{e9}", ignoringCase: true).node, note.equals("caf\u{e9}", ignoringCase: true).node,
      note.isEmpty.node, note.matches("caf\u{e9}").node, note.matches("cafe\u{301}").node,
      Member.email.matches("caf\u{e9}").node,
    ]
    let (strings, reals) = (VectorPath(slot: 30, of: .string), VectorPath(slot: 32, of: .scalar(.double)))
    let vectors: [QueryNode?] = [
      .hasElement(strings, .text("caf\u{e9}"), ignoresCase: false),
      .hasElement(strings, .text("cafe\u{301}"), ignoresCase: false),
      .hasElement(strings, .text("caf\u{e9}"), ignoresCase: true),
      .hasElement(reals, .real(0), ignoresCase: false), .hasElement(reals, .real(-0.0), ignoresCase: false),
      .hasElement(reals, .real(.nan), ignoresCase: false), .hasElement(reals, .real(-.nan), ignoresCase: false),
      .isEmpty(strings), .isEmpty(reals), .not(.isEmpty(strings)),
    ]
    let comparisons: [QueryNode?] = numbers.map { isLess(than: $0) }
    let predicates = comparisons + others + texts + vectors
    for (place, predicate) in predicates.enumerated() {
      let found = predicates.map { tracked($0) == tracked(predicate) }
      #expect(found == predicates.indices.map { $0 == place }, "\(String(describing: predicate))")
      #expect(tracked(predicate).hashValue == tracked(predicate).hashValue)
    }
    #expect(Set(predicates.map { tracked($0) }).count == predicates.count)
  }

  @Test("A predicate with NaN doesn't run the closure again because of commits beside its run") func nan() throws {
    // delivery:  runs the closure for a member ─ stops              ─ tracks nothing new ─ delivers
    // the same:                                       commits a key
    let test = try TestWorkspace()
    let runs = EventLog<Void>()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      return reader.fetch(for: Member.self).count(where: Member.balance == .nan || Member.card == 1)
    }.subscribe { log.append($0) }
    let commits = Lock(0)
    Failpoint.closureBeforeTracking.arm(in: test.core) {
      let number = commits.withLock { commits -> Int in
        commits += 1
        return commits
      }
      guard number <= 20 else { return }
      test.dictionary["other"] = number
      do { try test.dictionary.synchronize() } catch { Issue.record(error) }
    }
    defer { Failpoint.closureBeforeTracking.arm(in: test.core, nil) }
    try test.workspace.transactAndWait([Member.self]) { txn in _ = try txn.insert(Member(number: 1, card: 1)) }
    try test.settle()
    #expect(log.events == [0, 1])
    #expect(runs.events.count == 2)
    subscription.cancel()
  }
}
