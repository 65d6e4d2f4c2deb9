import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// Observations of closures beside commits: no commit is lost (A4), and no transaction is seen in part (A1).
@Suite struct ObservedClosureInterleavingTests {
  /// Commits plain writes. Waits for no observer, unlike a transaction.
  private func write(_ value: Int, for key: String, in test: TestWorkspace) throws {
    test.dictionary[key] = value
    try test.dictionary.synchronize()
  }

  @Test("A4: A commit between the snapshot and the tracking of the reads isn't lost", arguments: [false, true])
  func commitBeforeTracking(byAnother: Bool) throws {
    // observer:  pins a snapshot ─ runs the closure ─ stops                ─ tracks ─ runs again ─ delivers 1
    // writer:                                            commits k = 1
    let test = try TestWorkspace()
    let other = try test.another()
    let stop = Stop(at: .closureBeforeTracking, in: test)
    let log = EventLog<Int>()
    let runs = EventLog<Int>()
    let observer = BackgroundThread {
      test.workspace.observe { reader -> Int in
        let value = reader.dictionary["k", default: 0]
        runs.append(value)
        return value
      }.subscribe { log.append($0) }
    }
    try stop.wait()
    try write(1, for: "k", in: byAnother ? other : test)
    if byAnother { try test.core.checkForCommits() }
    stop.resume()
    let subscription = try observer.join()
    #expect(log.events == [1])
    #expect(runs.events == [0, 1])
    try write(2, for: "k", in: test)
    #expect(try log.wait(forCount: 2) == [1, 2])
    subscription.cancel()
  }

  @Test("A4: A commit that is being published while the reads are tracked isn't lost")
  func commitDuringTracking() throws {
    // writer:    COMMIT of k = 1 ─ stops                         ─ publishes the commit              commits k = 2
    // observer:                            has its view, waits                          ─ delivers 1               ─ 2
    let test = try TestWorkspace()
    let stop = Stop(at: .committedBeforePublish, in: test)
    let writer = BackgroundThread { try write(1, for: "k", in: test) }
    try stop.wait()
    let hasView = Gate("the observer's view")
    let thread = Lock<UInt?>(nil)
    Failpoint.renewedView.arm(in: test.core) {
      // Other threads look for commits, too.
      if thread.withLock({ $0 }) == Threads.number { hasView.open() }
    }
    defer { Failpoint.renewedView.arm(in: test.core, nil) }
    let log = EventLog<Int>()
    let observer = BackgroundThread {
      thread.withLock { $0 = Threads.number }
      return test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }
    }
    try hasView.wait()
    #expect(log.events == [])
    stop.resume()
    try writer.join()
    let subscription = try observer.join()
    #expect(log.events == [1])
    try write(2, for: "k", in: test)
    #expect(try log.wait(forCount: 2) == [1, 2])
    subscription.cancel()
  }

  @Test("A4: A commit while the closure runs lets it run again") func commitDuringRun() throws {
    // delivery:  runs the closure for k = 1 ─ stops                ─ delivers 1 ─ runs again ─ delivers 2
    // writer:                                  commits k = 2
    let test = try TestWorkspace()
    let run = ObservedRun(in: test)
    try write(1, for: "k", in: test)
    try run.wait()
    try write(2, for: "k", in: test)
    run.resume()
    #expect(try run.log.wait(forCount: 3) == [0, 1, 2])
    run.subscription.cancel()
  }

  @Test("Commits that come before the closure runs again are delivered as one") func coalescing() throws {
    let test = try TestWorkspace()
    let mayGoOn = Gate("the delivery")
    let runs = EventLog<Void>()
    let log = EventLog<Int>()
    let subscription = test.workspace.observe { reader -> Int in
      runs.append(())
      return reader.dictionary["k", default: 0]
    }.subscribe { log.append($0) }
    test.core.delivery.enqueue(for: test.core) { try? mayGoOn.wait() }
    for number in 1...3 { try write(number, for: "k", in: test) }
    mayGoOn.open()
    try test.settle()
    #expect(log.events == [0, 3])
    #expect(runs.events.count == 2)
    subscription.cancel()
  }

  @Test("A4: A value is delivered before the completion handler of its transaction") func completion() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append("value \($0)") }
    for number in 1...20 {
      test.workspace.performChanges([]) {
        $0.dictionary["k"] = number
      } completionHandler: { _ in
        log.append("completion \(number)")
      }
    }
    let events = try log.wait { $0.last == "completion 20" }
    for number in 1...20 {
      let before = events.prefix { $0 != "completion \(number)" }
      let newest = before.last { $0.hasPrefix("value") }.flatMap { Int($0.dropFirst(6)) }
      #expect((newest ?? 0) >= number)
    }
    subscription.cancel()
  }

  @Test("A closure that reads something new each time still delivers while commits arrive")
  func unstableReads() throws {
    let test = try TestWorkspace()
    let commits = Lock(0)
    Failpoint.closureBeforeTracking.arm(in: test.core) {
      let number = commits.withLock { commits -> Int? in
        if commits == 20 { return nil }
        commits += 1
        return commits
      }
      guard let number else { return }
      test.dictionary["x\(number)"] = number
      do { try test.dictionary.synchronize() } catch { Issue.record(error) }
    }
    defer { Failpoint.closureBeforeTracking.arm(in: test.core, nil) }
    let log = EventLog<Int>()
    let runs = Lock(0)
    let subscription = test.workspace.observe { reader -> Int in
      let run = runs.withLock { runs -> Int in
        runs += 1
        return runs
      }
      _ = reader.dictionary.contains("k\(run)")
      return reader.dictionary.keys(withPrefix: "x").count
    }.subscribe { log.append($0) }
    let values = try log.wait { $0.last == 20 }
    #expect(zip(values, values.dropFirst()).allSatisfy(<))
    // It delivered before the last commit.
    #expect(try #require(values.first) < 20)
    subscription.cancel()
  }

  @Test("A1: A value shows a transaction's keys as a whole, and the last one arrives", arguments: [false, true])
  func wholeTransactions(byAnother: Bool) throws {
    let test = try TestWorkspace()
    let other = try test.another()
    let log = EventLog<[Int]>()
    let subscriptions = (0..<4).map { _ in
      test.workspace.observe { reader -> [Int] in
        [reader.dictionary["a", default: 0], reader.dictionary["b", default: 0]]
      }.subscribe { log.append($0) }
    }
    let writer = byAnother ? other : test
    for number in 1...200 {
      try writer.workspace.transactAndWait { txn in
        txn.dictionary["a"] = number
        txn.dictionary["b"] = number
      }
    }
    let values = try log.wait { $0.filter { $0 == [200, 200] }.count == 4 }
    #expect(values.allSatisfy { $0[0] == $0[1] })
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A4: Observations that begin during commits get rising values up to the last one") func underLoad() throws {
    let test = try TestWorkspace()
    let writer = BackgroundThread {
      for number in 1...400 { try test.workspace.transactAndWait { $0.dictionary["k"] = number } }
    }
    var observations: [(log: EventLog<Int>, subscription: WorkspaceSubscription)] = []
    for _ in 0..<40 {
      let log = EventLog<Int>()
      observations.append(
        (log, test.workspace.observe { $0.dictionary["k", default: 0] }.subscribe { log.append($0) }))
    }
    try writer.join()
    try test.settle()
    for (log, subscription) in observations {
      let values = log.events
      #expect(values.last == 400)
      #expect(zip(values, values.dropFirst()).allSatisfy(<))
      subscription.cancel()
    }
  }
}
