import DflatCore
import DflatKV
import TestSupport
import Testing

/// A3: Transactions that share a type run in order; other transactions may run at the same time.
@Suite struct OrderTests {
  private static let types: [Any.Type] = [Author.self, Book.self, Shelf.self, Loan.self, Visitor.self]

  /// A lock around the numbering of calls makes their order known. Each closure logs its number for all its types.
  @Test(
    "A3: Transactions that share a type run in the order of their calls, and never deadlock",
    arguments: [SQLiteWorkspace.WriteConcurrency.concurrent, .serial])
  func manyThreadsAndOverlappingLists(concurrency: SQLiteWorkspace.WriteConcurrency) throws {
    let test = try TestWorkspace { $0.writeConcurrency = concurrency }
    let generator = SeededGenerator.announced(for: "manyThreadsAndOverlappingLists")
    let (callers, callsOfEach) = (6, 60)
    let calls = Lock(0)
    let noted = Lock([[Int]](repeating: [], count: Self.types.count))
    let completed = EventLog<Bool>()
    let threads = (0..<callers).map { thread in
      BackgroundThread("caller \(thread)") { [workspace = test.workspace] in
        var generator = SeededGenerator(seed: generator.seed &+ UInt64(thread))
        for _ in 0..<callsOfEach {
          let lanes = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
            Int.random(in: 0..<Self.types.count, using: &generator)
          }
          let touches = Bool.random(using: &generator)
          calls.withLock { number in
            number += 1
            let mine = number
            workspace.performChanges(lanes.map { Self.types[$0] }) { txn in
              noted.withLock { noted in for lane in Set(lanes) { noted[lane].append(mine) } }
              if touches { txn.dictionary["last"] = mine }
            } completionHandler: {
              completed.append($0)
            }
          }
          if isOne(in: 8, &generator) {
            try workspace.transactAndWait(lanes.map { Self.types[$0] }) { txn in
              txn.dictionary["waited", default: 0] += 1
            }
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    let outcomes = try completed.wait(forCount: callers * callsOfEach)
    #expect(outcomes.allSatisfy { $0 })
    for (lane, numbers) in noted.withLock({ $0 }).enumerated() {
      #expect(numbers == numbers.sorted(), "lane \(lane), seed \(generator.seed)")
    }
  }

  private func isOne(in count: Int, _ generator: inout SeededGenerator) -> Bool {
    Int.random(in: 0..<count, using: &generator) == 0
  }

  @Test("A3: Transactions that declare no types take effect in the order of their calls")
  func nothingDeclared() throws {
    let test = try TestWorkspace()
    let order = Lock<[Int]>([])
    let completed = EventLog<Int>()
    for number in 0..<200 {
      test.workspace.performChanges([]) { txn in
        order.withLock { $0.append(number) }
        txn.dictionary["last"] = number
      } completionHandler: { _ in
        completed.append(number)
      }
    }
    #expect(try completed.wait(forCount: 200) == Array(0..<200))
    #expect(order.withLock { $0 } == Array(0..<200))
    #expect(test.workspace.dictionary["last", Int.self] == 199)
  }

  @Test("A transaction may declare the same type twice")
  func theSameTypeTwice() throws {
    let test = try TestWorkspace()
    for value in 0..<20 {
      try test.workspace.transactAndWait([Author.self, Author.self, Book.self, Author.self]) { txn in
        txn.dictionary["value"] = value
      }
    }
    #expect(test.workspace.dictionary["value", Int.self] == 19)
  }

  /// author:  ├─ waits for book ─┤
  /// book:    ├─ waits for author ┤   both closures have to run at the same time
  @Test("Closures without a common type run at the same time in concurrent mode")
  func sideBySide() throws {
    let test = try TestWorkspace()
    let barrier = Barrier(parties: 3)
    let completed = EventLog<Bool>()
    for types in [[Author.self], [Book.self, Shelf.self], []] as [[Any.Type]] {
      test.workspace.performChanges(types) { txn in
        #expect(throws: Never.self) { try barrier.arriveAndWait() }
        txn.dictionary["met", default: 0] += 1
      } completionHandler: {
        completed.append($0)
      }
    }
    #expect(try completed.wait(forCount: 3) == [true, true, true])
    #expect(test.workspace.dictionary["met", Int.self] == 3)
  }

  /// first:   ├──── runs ────┤
  /// second:                 ├── runs ──┤   though it shares no type with the first
  @Test("Closures run one after the other in serial mode")
  func oneAfterTheOther() throws {
    let test = try TestWorkspace { $0.writeConcurrency = .serial }
    let events = EventLog<String>()
    let mayEnd = Gate("the first may end")
    for (name, types) in [("first", [Author.self]), ("second", [Book.self]), ("third", [])] as [(String, [Any.Type])] {
      test.workspace.performChanges(types) { txn in
        events.append("\(name) begins")
        if name == "first" { #expect(throws: Never.self) { try mayEnd.wait() } }
        events.append("\(name) ends")
      }
    }
    try events.wait(forCount: 1)
    mayEnd.open()
    let expected = ["first", "second", "third"].flatMap { ["\($0) begins", "\($0) ends"] }
    #expect(try events.wait(forCount: 6) == expected)
  }

  /// `later` becomes ready when `idle` ends, but its other predecessor is in a group that isn't committed. Only with
  /// the write token, inside that group, can it read that predecessor's changes.
  ///
  ///     first [Author, Book]: writes, ends ──► open group ──► holder [Book]: ─── waits ──► ends
  ///     idle [Shelf]:         ── touches nothing ──────────────► ends ─┐
  ///     later [Author, Shelf]:                                         └► joins the group at its start
  @Test("A3: A transaction whose predecessor is in the open group starts in that group")
  func predecessorInTheOpenGroup() throws {
    let test = try TestWorkspace { $0.commitLate() }
    let workspace = test.workspace
    let firstMayEnd = Gate("the first may end")
    let idleMayEnd = Gate("the idle one may end")
    let holderRuns = Gate("the holder runs")
    let holderMayEnd = Gate("the holder may end")
    let events = EventLog<String>()
    workspace.performChanges([Author.self, Book.self]) { txn in
      txn.dictionary["first"] = 1
      #expect(throws: Never.self) { try firstMayEnd.wait() }
    }
    workspace.performChanges([Shelf.self]) { _ in
      #expect(throws: Never.self) { try idleMayEnd.wait() }
    } completionHandler: { _ in
      events.append("idle ended")
    }
    workspace.performChanges([Book.self]) { txn in
      holderRuns.open()
      #expect(throws: Never.self) { try holderMayEnd.wait() }
    }
    workspace.performChanges([Author.self, Shelf.self]) { txn in
      events.append("later begins, in a group: \(txn.currentGroup != nil)")
      #expect(txn.dictionary["first", Int.self] == 1)
    } completionHandler: { _ in
      events.append("later ended")
    }
    firstMayEnd.open()
    try holderRuns.wait()
    idleMayEnd.open()
    try events.wait { $0.contains("idle ended") }
    holderMayEnd.open()
    #expect(try events.wait(forCount: 3) == ["idle ended", "later begins, in a group: true", "later ended"])
    #expect(workspace.commitNumber == 1)
  }
}
