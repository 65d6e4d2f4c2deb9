import DflatKV
import TestSupport
import Testing

/// Atomic updates of one key.
@Suite struct AtomicTests {
  struct Refusal: Error {}

  @Test("A1: Increments from many threads and two workspaces add up") func increments() async throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let threads = [test, other, test, other].map { test in
      BackgroundThread { for _ in 0..<100 { try test.dictionary.update("count", default: 0) { $0 += 1 } } }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for dictionary in [test.dictionary, other.dictionary] {
        group.addTask { for _ in 0..<50 { try await dictionary.update("count", default: 0) { $0 += 1 } } }
      }
      try await group.waitForAll()
    }
    for thread in threads { try thread.join() }
    let fresh = try test.another()
    #expect(fresh.dictionary["count"] == 500)
  }

  @Test("A blocking update returns its new value and has committed it") func result() throws {
    let test = try TestWorkspace()
    #expect(try test.dictionary.update("k", default: 5) { $0 += 1 } == 6)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 6)
    #expect(try test.dictionary.update("point", default: Point(x: 0, y: 0)) { $0.x = 1 } == Point(x: 1, y: 0))
  }

  @Test("An asynchronous update returns its new value and has committed it") func resultAsync() async throws {
    let test = try TestWorkspace()
    #expect(try await test.dictionary.update("k", default: 5) { $0 += 1 } == 6)
    let fresh = try test.another()
    #expect(fresh.dictionary["k"] == 6)
  }

  @Test("An update rethrows its closure's error and changes nothing") func throwing() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    #expect(throws: Refusal.self) {
      try test.dictionary.update("k", default: 0) { value in
        value = 9
        test.dictionary["other"] = 9
        throw Refusal()
      }
    }
    #expect(test.dictionary["k"] == 1)
    #expect(!test.dictionary.contains("other"))
  }

  @Test("An asynchronous update rethrows its closure's error and changes nothing") func throwingAsync() async throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    await #expect(throws: Refusal.self) {
      try await test.dictionary.update("k", default: 0) { value in
        value = 9
        throw Refusal()
      }
    }
    #expect(test.dictionary["k"] == 1)
  }

  @Test("An update does not overwrite a value of another type") func wrongType() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = "text"
    #expect(throws: WorkspaceError.self) { try test.dictionary.update("k", default: 0) { $0 += 1 } }
    #expect(throws: WorkspaceError.self) { try test.dictionary.compareAndSet("k", expected: 1, new: 2) }
    #expect(throws: WorkspaceError.self) { try test.dictionary.compareAndSet("k", expected: Int?.none, new: 2) }
    #expect(test.dictionary["k"] == "text")
  }

  @Test("Compare-and-set sets, removes and refuses, with nil for an absent value") func compareAndSet() throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try d.compareAndSet("k", expected: nil, new: 1))
    #expect(try !d.compareAndSet("k", expected: nil, new: 2))
    #expect(try !d.compareAndSet("k", expected: 2, new: 3))
    #expect(try d.compareAndSet("k", expected: 1, new: 2))
    #expect(try !d.compareAndSet("k", expected: 1, new: 3))
    #expect(d["k"] == 2)
    #expect(try d.compareAndSet("k", expected: 2, new: nil))
    #expect(!d.contains("k"))
    #expect(try d.compareAndSet("k", expected: Int?.none, new: nil))
    #expect(try d.compareAndSet("nan", expected: nil, new: Double.nan))
    #expect(try d.compareAndSet("nan", expected: Double.nan, new: 1))
    #expect(try d.compareAndSet("point", expected: nil, new: Point(x: 1, y: 2)))
    #expect(try d.compareAndSet("point", expected: Point(x: 1, y: 2), new: Point(x: 2, y: 2)))
    #expect(d["point"] == Point(x: 2, y: 2))
  }

  @Test("An asynchronous compare-and-set sets an expected value and refuses another")
  func compareAndSetAsync() async throws {
    let test = try TestWorkspace()
    let d = test.dictionary
    #expect(try await d.compareAndSet("k", expected: nil, new: 1))
    #expect(try await !d.compareAndSet("k", expected: nil, new: 2))
    #expect(try await d.compareAndSet("k", expected: 1, new: 2))
    #expect(d["k"] == 2)
  }

  @Test("A1: One of several threads that expect the same value wins") func oneWins() throws {
    let test = try TestWorkspace()
    let barrier = Barrier(parties: 4)
    let threads = (1...4).map { number in
      BackgroundThread {
        try barrier.arriveAndWait()
        return try test.dictionary.compareAndSet("winner", expected: nil, new: number)
      }
    }
    let won = try threads.map { try $0.join() }
    #expect(won.filter { $0 }.count == 1)
    #expect(test.dictionary["winner"] == won.firstIndex(of: true).map { $0 + 1 })
  }

  @Test("Updates in a transaction's closure are part of the transaction") func inTransaction() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = 1
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { transaction in
        let updated = try transaction.dictionary.update("k", default: 0) { $0 += 1 }
        #expect(updated == 2)
        let swapped = try test.dictionary.compareAndSet("k", expected: 2, new: 3)
        #expect(swapped)
        #expect(transaction.dictionary["k"] == 3)
        throw Refusal()
      }
    }
    #expect(test.dictionary["k"] == 1)
  }

  @Test("A5: An update runs after the plain writes before it") func afterPlainWrites() throws {
    let test = try TestWorkspace()
    for number in 1...50 {
      test.dictionary["k"] = number
      #expect(try test.dictionary.update("k", default: 0) { $0 *= 2 } == number * 2)
    }
  }
}
