import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// A4: There is no gap and no repetition between the initial value and the first update, at whatever point of a commit
/// an observer subscribes.
@Suite struct ArrivingSubscriberTests {
  typealias Value = SubscribedDictionaryValue<Int>

  private func commitTwo(_ test: TestWorkspace) -> BackgroundThread<Void> {
    BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 2 } }
  }

  /// Returns a workspace with "k" = 1 in its file and, if `isCached`, in its cache.
  private func workspace(isCached: Bool) throws -> TestWorkspace {
    let test = try TestWorkspace()
    let other = try test.another()
    other.dictionary["k"] = 1
    try other.dictionary.synchronize()
    other.workspace.shutdown()
    try test.core.checkForCommits()
    if isCached { #expect(test.dictionary["k", Int.self] == 1) }
    return test
  }

  @Test("A4: An observer added before a COMMIT gets the old value, then the update", arguments: [true, false])
  func beforeCommit(isCached: Bool) throws {
    // writer:      writes k = 2 ─ stops                 ─ COMMIT ─ publishes
    // subscriber:                       registers at 1
    let test = try workspace(isCached: isCached)
    let stop = Stop(at: .beforeCommit, in: test)
    let writer = commitTwo(test)
    try stop.wait()
    let log = EventLog<Value>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    #expect(log.events == [.initial(1)])
    stop.resume()
    try writer.join()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    subscription.cancel()
  }

  @Test(
    "A4: An observer added between COMMIT and publication gets the new value exactly once", arguments: [true, false])
  func beforePublication(isCached: Bool) throws {
    // writer:      COMMIT ─ stops                                     ─ publishes
    // subscriber:                 reads (its new view shows the commit) …         registers
    let test = try workspace(isCached: isCached)
    test.core.readers.releaseViews()
    let stop = Stop(at: .committedBeforePublish, in: test)
    let writer = commitTwo(test)
    try stop.wait()
    let log = EventLog<Value>()
    let renewed = Stop(at: .renewedView, in: test)
    let subscriber = BackgroundThread { test.dictionary.subscribe("k", of: Int.self) { log.append($0) } }
    if isCached { try log.wait(forCount: 1) } else { try renewed.wait() }
    renewed.resume()
    stop.resume()
    let subscription = try subscriber.join()
    try writer.join()
    try test.settle()
    #expect(log.events == (isCached ? [.initial(1), .updated(2)] : [.initial(2)]))
    subscription.cancel()
  }

  @Test("A4: An observer added during a delivery gets the new value once, as its initial value")
  func beforeDelivery() throws {
    // delivery:    first observer gets 2 ─ stops                                     ─ goes on
    // subscriber:                                    registers, gets 2 at once
    let test = try workspace(isCached: true)
    let (reached, mayGoOn) = (Gate("delivery"), Gate("the end of the delivery"))
    let first = test.dictionary.subscribe("k", of: Int.self) { change in
      guard change == .updated(2) else { return }
      reached.open()
      try? mayGoOn.wait()
    }
    let writer = commitTwo(test)
    try reached.wait()
    let log = EventLog<Value>()
    let second = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    #expect(log.events == [.initial(2)])
    mayGoOn.open()
    try writer.join()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.settle()
    #expect(log.events == [.initial(2), .updated(3)])
    withExtendedLifetime((first, second)) {}
  }

  /// Expects that an observer gets the value 2, which `commit` commits after the observer's load.
  ///
  /// - Parameter isReadable: False if the load can't read the value.
  private func expectInitialValue(isReadable: Bool = true, of commit: (TestWorkspace) throws -> Void) throws {
    // subscriber:  loads k = 1 ─ stops                    ─ registers?
    // writer:                          k = 2, published
    let test = try workspace(isCached: false)
    if !isReadable { try RawDatabase.execute("UPDATE dictionary SET type = 99", on: test.path) }
    let stop = Stop(at: .observerBeforeRegister, in: test, afterPassing: 1)
    let log = EventLog<Value>()
    let subscriber = BackgroundThread { test.dictionary.subscribe("k", of: Int.self) { log.append($0) } }
    try stop.wait()
    try commit(test)
    stop.resume()
    let subscription = try subscriber.join()
    try test.settle()
    #expect(log.events == [.initial(2)])
    #expect(test.errors.events.map(\.code) == (isReadable ? [] : [.undecodable]))
    subscription.cancel()
  }

  @Test(
    "A4: A commit between an observer's load, which may fail, and its registration gives its initial value",
    arguments: [true, false])
  func beforeRegistration(isReadable: Bool) throws {
    try expectInitialValue(isReadable: isReadable) { test in
      // A transaction's completion would wait for the delivery queue, which the subscriber holds.
      test.dictionary["k"] = 2
      try test.dictionary.synchronize()
    }
  }

  @Test(
    "A4: Another workspace's commit between an observer's load, which may fail, and its registration gives the value",
    arguments: [true, false])
  func externalBeforeRegistration(isReadable: Bool) throws {
    try expectInitialValue(isReadable: isReadable) { test in
      let other = try test.another()
      try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
      try test.core.checkForCommits()
    }
  }

  @Test("A4: The initial value is delivered before a value committed during its callback") func initialFirst() throws {
    // subscriber:  registers at 1, its callback stops                        ─ returns
    // writer:                                         k = 2, published, due
    let test = try workspace(isCached: true)
    let (reached, mayGoOn) = (Gate("the initial value"), Gate("the end of the callback"))
    let log = EventLog<Value>()
    let subscriber = BackgroundThread {
      test.dictionary.subscribe("k", of: Int.self) { change in
        if change == .initial(1) {
          reached.open()
          try? mayGoOn.wait()
        }
        log.append(change)
      }
    }
    try reached.wait()
    let published = Stop(at: .publishedBeforeTouch, in: test)
    let writer = commitTwo(test)
    try published.wait()
    published.resume()
    #expect(test.workspace.commitNumber == 2)
    mayGoOn.open()
    let subscription = try subscriber.join()
    try writer.join()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    subscription.cancel()
  }

  @Test("A4: A prefix observer gets the changes that are published after it subscribes")
  func prefixSubscriber() throws {
    let test = try workspace(isCached: true)
    let stop = Stop(at: .beforeCommit, in: test)
    let writer = commitTwo(test)
    try stop.wait()
    let log = EventLog<StoredValue?>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append($0.value) }
    stop.resume()
    try writer.join()
    try test.settle()
    #expect(log.events == [.int(2)])
    let late = EventLog<StoredValue?>()
    let second = test.dictionary.subscribe(withPrefix: "") { late.append($0.value) }
    try test.settle()
    #expect(late.events == [])
    withExtendedLifetime((subscription, second)) {}
  }

  @Test("A4: An observer added during recovery from missed commits gets each value once")
  func duringReset() throws {
    // catching up:  reads what is observed ─ stops                           ─ drops the cache
    // subscriber:                                   registers at the old k
    let test = try workspace(isCached: true)
    let (log, elsewhere) = (EventLog<Value>(), EventLog<Value>())
    let first = test.dictionary.subscribe("elsewhere", of: Int.self) { elsewhere.append($0) }
    let other = try test.another()
    let stop = Stop(at: .resetBeforeMove, in: test)
    let flood = BackgroundThread {
      try other.workspace.transactAndWait { transaction in
        transaction.dictionary.setMoreKeysThanARecordNames()
        transaction.dictionary["k"] = 2
      }
      try test.core.checkForCommits()
    }
    try stop.wait()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    stop.resume()
    try flood.join()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    #expect(elsewhere.events == [.initial(nil)])
    try other.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events == [.initial(1), .updated(2), .updated(3)])
    withExtendedLifetime((first, subscription)) {}
  }

  /// Expects that a stream ends which `subscribe` makes while the workspace closes.
  private func expectEnd<Element: Sendable>(
    of subscribe: @escaping @Sendable (WorkspaceDictionary) -> AsyncStream<Element>
  ) async throws {
    // subscriber:  found the workspace open ─ stops                           ─ registers?
    // shutdown:                                      begins, ends all others
    let test = try workspace(isCached: true)
    let stop = Stop(at: .observerBeforeHolding, in: test)
    let subscriber = BackgroundThread { subscribe(test.dictionary) }
    try stop.wait()
    await test.workspace.shutdown()
    stop.resume()
    let stream = try subscriber.join()
    // The loop returns only if the stream has ended.
    for await _ in stream {}
  }

  @Test("A subscription of a key that races with shutdown ends", .timeLimit(.minutes(15)))
  func keyDuringShutdown() async throws { try await expectEnd { $0.subscribe("k", of: Int.self) } }

  @Test("A subscription of all changes that races with shutdown ends", .timeLimit(.minutes(15)))
  func changesDuringShutdown() async throws { try await expectEnd { $0.changes() } }

  @Test("An observer that subscribes during shutdown ends before shutdown has finished") func closing() throws {
    // subscriber:  arrives ─ stops                             ─ ends
    // shutdown:                    begins ─ waits for an activity     ─ ends all observers
    let test = try TestWorkspace()
    let core = test.core
    try core.beginActivity()
    let stop = Stop(at: .observerBeforeHolding, in: test)
    let ends = EventLog<String>()
    let subscriber = BackgroundThread {
      DictionaryStore.of(core).observe(
        PrefixRange(namespace: 0, prefix: ""), onEnd: { ends.append("end") }, handler: { _ in })
    }
    try stop.wait()
    let closed = Gate("shutdown")
    test.workspace.shutdown { closed.open() }
    stop.resume()
    _ = try subscriber.join()
    #expect(ends.events == ["end"])
    core.endActivity()
    try closed.wait()
    #expect(ends.events == ["end"])
  }
}
