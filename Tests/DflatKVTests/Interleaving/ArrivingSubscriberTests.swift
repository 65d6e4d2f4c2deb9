import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// A4: no gap and no repetition between the initial value and the first update, wherever in a commit a subscriber arrives.
@Suite("Subscribers that arrive during a commit") struct ArrivingSubscriberTests {
  typealias Value = SubscribedDictionaryValue<Int>

  private func commitTwo(_ test: TestWorkspace) -> BackgroundThread<Void> {
    BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 2 } }
  }

  /// "k" = 1 in the file, and in the cache when asked for.
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

  @Test("A4: before COMMIT", arguments: [true, false]) func beforeCommit(isCached: Bool) throws {
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
    test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    subscription.cancel()
  }

  @Test("A4: between COMMIT and publication", arguments: [true, false]) func beforePublication(isCached: Bool) throws {
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
    test.settle()
    #expect(log.events == (isCached ? [.initial(1), .updated(2)] : [.initial(2)]))
    subscription.cancel()
  }

  @Test("A4: after publication, before delivery") func beforeDelivery() throws {
    // delivery:    first observer is told 2 ─ stops                                  ─ goes on
    // subscriber:                                    registers, is told 2 at once
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
    test.settle()
    #expect(log.events == [.initial(2), .updated(3)])
    withExtendedLifetime((first, second)) {}
  }

  @Test("A4: a commit between loading the initial value and registering", arguments: [false, true])
  func beforeRegistration(isForeign: Bool) throws {
    // subscriber:  loads k = 1 ─ stops                    ─ registers?
    // writer:                          k = 2, published
    let test = try workspace(isCached: false)
    let stop = Stop(at: .observerBeforeRegister, in: test, afterPassing: 1)
    let log = EventLog<Value>()
    let subscriber = BackgroundThread { test.dictionary.subscribe("k", of: Int.self) { log.append($0) } }
    try stop.wait()
    if isForeign {
      let other = try test.another()
      try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
      try test.core.checkForCommits()
    } else {
      // Its completion would wait for the delivery queue, which the subscriber holds.
      test.dictionary["k"] = 2
      try test.dictionary.synchronize()
    }
    stop.resume()
    let subscription = try subscriber.join()
    test.settle()
    #expect(log.events == [.initial(2)])
    subscription.cancel()
  }

  @Test("A4: the initial value is delivered before what is committed after it") func initialFirst() throws {
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
    test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    subscription.cancel()
  }

  @Test("A4: a prefix subscriber is told of what is published after it") func prefixSubscriber() throws {
    let test = try workspace(isCached: true)
    let stop = Stop(at: .beforeCommit, in: test)
    let writer = commitTwo(test)
    try stop.wait()
    let log = EventLog<StoredValue?>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { log.append($0.value) }
    stop.resume()
    try writer.join()
    test.settle()
    #expect(log.events == [.int(2)])
    let late = EventLog<StoredValue?>()
    let second = test.dictionary.subscribe(withPrefix: "") { late.append($0.value) }
    test.settle()
    #expect(late.events == [])
    withExtendedLifetime((subscription, second)) {}
  }

  @Test("A4: an observer that comes while missed commits are made up for") func duringReset() throws {
    // catching up:  reads what is observed ─ stops                           ─ drops the cache
    // subscriber:                                   registers at the old k
    let test = try workspace(isCached: true)
    let (log, elsewhere) = (EventLog<Value>(), EventLog<Value>())
    let first = test.dictionary.subscribe("elsewhere", of: Int.self) { elsewhere.append($0) }
    let other = try test.another()
    let stop = Stop(at: .resetBeforeMove, in: test)
    let flood = BackgroundThread {
      try other.workspace.transactAndWait { transaction in
        for number in 0..<2_000 { transaction.dictionary["flood\(number)"] = number }
        transaction.dictionary["k"] = 2
      }
      try test.core.checkForCommits()
    }
    try stop.wait()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    stop.resume()
    try flood.join()
    test.settle()
    #expect(log.events == [.initial(1), .updated(2)])
    #expect(elsewhere.events == [.initial(nil)])
    try other.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.core.checkForCommits()
    test.settle()
    #expect(log.events == [.initial(1), .updated(2), .updated(3)])
    withExtendedLifetime((first, subscription)) {}
  }

  @Test("A subscription that races with shutdown ends", .timeLimit(.minutes(1)), arguments: [false, true])
  func duringShutdown(isPrefix: Bool) async throws {
    // subscriber:  found the workspace open ─ stops                           ─ registers?
    // shutdown:                                      begins, ends all others
    let test = try workspace(isCached: true)
    let stop = Stop(at: .observerBeforeHolding, in: test)
    let values = Lock<AsyncStream<Int?>?>(nil)
    let changes = Lock<AsyncStream<DictionaryChange>?>(nil)
    let subscriber = BackgroundThread {
      if isPrefix {
        let stream = test.dictionary.changes()
        changes.withLock { $0 = stream }
      } else {
        let stream = test.dictionary.subscribe("k", of: Int.self)
        values.withLock { $0 = stream }
      }
    }
    try stop.wait()
    await test.workspace.shutdown()
    stop.resume()
    try subscriber.join()
    // These end.
    if let values = values.withLock({ $0 }) { for await _ in values {} }
    if let changes = changes.withLock({ $0 }) { for await _ in changes {} }
  }

  @Test("A subscriber that shutdown overtakes ends at once, whatever shutdown still waits for") func closing() throws {
    // subscriber:  arrives ─ stops                             ─ ends
    // shutdown:                    begins ─ waits for an activity     ─ ends all observers
    let test = try TestWorkspace()
    let core = test.core
    try core.beginActivity()
    let stop = Stop(at: .observerBeforeHolding, in: test)
    let ends = EventLog<String>()
    let subscriber = BackgroundThread {
      DictionaryStore.of(core).observe(
        Clear(namespace: 0, prefix: ""), onEnd: { ends.append("end") }, handler: { _ in })
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
