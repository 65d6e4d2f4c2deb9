import DflatCore
import TestSupport
import Testing

@testable import DflatKV

/// After an observer is cancelled, on any thread, no callback begins except one that was dequeued before.
@Suite struct CancellationTests {
  typealias Value = SubscribedDictionaryValue<Int>

  enum Observer: CaseIterable, Sendable {
    case key, prefix, closure

    /// Observes the key "k".
    func subscribe(in test: TestWorkspace, _ handler: @escaping @Sendable (Int?) -> Void) -> WorkspaceSubscription {
      switch self {
      case .key: test.dictionary.subscribe("k") { handler(try? $0.value(as: Int.self)) }
      case .prefix: test.dictionary.subscribe(withPrefix: "") { handler(try? $0.value(as: Int.self)) }
      case .closure:
        test.workspace.observe { reader -> Int? in reader.dictionary["k", Int.self] }.subscribe { handler($0) }
      }
    }

    /// The events of the subscription itself: the value that the key had.
    var first: [Int?] { self == .prefix ? [] : [nil] }
  }

  @Test(
    "Cancelling an observer while its callback runs drops the callback that is due next", arguments: Observer.allCases)
  func duringDelivery(observer: Observer) throws {
    // delivery:   delivers k = 1 ─ stops             ─ ends, k = 2 is due
    // canceller:                       cancels
    let test = try TestWorkspace()
    let (reached, mayGoOn) = (Gate("delivery"), Gate("the end of the delivery"))
    let log = EventLog<Int?>()
    let tell: @Sendable (Int?) -> Void = { value in
      log.append(value)
      guard value == 1 else { return }
      reached.open()
      try? mayGoOn.wait()
    }
    let subscription = observer.subscribe(in: test, tell)
    let published = Gate("publication of 2")
    let writers = [1, 2].map { number in
      BackgroundThread {
        if number == 2 { try reached.wait() }
        try test.workspace.transactAndWait { $0.dictionary["k"] = number }
      }
    }
    try reached.wait()
    Failpoint.publishedBeforeTouch.arm(in: test.core) { published.open() }
    if test.workspace.commitNumber < 2 { try published.wait() }
    Failpoint.publishedBeforeTouch.arm(in: test.core, nil)
    subscription.cancel()
    mayGoOn.open()
    for writer in writers { try writer.join() }
    try test.settle()
    #expect(log.events == observer.first + [1])
  }

  @Test(
    "Cancelling an observer doesn't wait for a dequeued callback, which is its last",
    arguments: Observer.allCases)
  func takenUp(observer: Observer) throws {
    // delivery:    takes k = 1 up ─ stops                     ─ calls the handler
    // canceller:                           cancels, returns
    let test = try TestWorkspace()
    let log = EventLog<Int?>()
    let subscription = observer.subscribe(in: test) { log.append($0) }
    let stop = Stop(at: .callbackTaken, in: test)
    let writer = BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 1 } }
    try stop.wait()
    subscription.cancel()
    #expect(log.events == observer.first)
    stop.resume()
    try writer.join()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.settle()
    #expect(log.events == observer.first + [1])
    #expect(test.trackedReads == 0)
  }

  @Test("Cancelling an observer in a completion handler ends its delivery", arguments: Observer.allCases)
  func inCompletion(observer: Observer) throws {
    let test = try TestWorkspace()
    let isCancelled = Lock(false)
    let log = EventLog<Bool>()
    let subscription = observer.subscribe(in: test) { _ in log.append(isCancelled.withLock { $0 }) }
    for number in 0..<100 {
      test.workspace.performChanges([]) { txn in
        txn.dictionary["k"] = number
      } completionHandler: { _ in
        guard number == 10 else { return }
        subscription.cancel()
        isCancelled.withLock { $0 = true }
      }
    }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 100 }
    try test.settle()
    #expect(!log.events.isEmpty && !log.events.contains(true))
  }

  @Test("Cancelling some observers keeps the others in the order of their subscriptions", arguments: [false, true])
  func someOfMany(isPrefix: Bool) throws {
    let test = try TestWorkspace()
    let log = EventLog<Int>()
    func subscribe(_ number: Int) -> WorkspaceSubscription {
      isPrefix
        ? test.dictionary.subscribe(withPrefix: "") { _ in log.append(number) }
        : test.dictionary.subscribe("k") { if $0.event != .initial { log.append(number) } }
    }
    var subscriptions = (0..<90).map(subscribe)
    for number in stride(from: 0, to: 90, by: 3) { subscriptions[number].cancel() }
    subscriptions += (90..<100).map(subscribe)
    subscriptions[92].cancel()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try test.settle()
    #expect(log.events == (0..<100).filter { $0 >= 90 ? $0 != 92 : $0 % 3 != 0 })
    subscriptions.forEach { $0.cancel() }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.settle()
    #expect(log.events.count == 69)
  }

  @Test("Cancelling an observer in its own callback ends its delivery") func fromCallback() throws {
    let test = try TestWorkspace()
    let log = EventLog<Value>()
    let subscription = Lock<WorkspaceSubscription?>(nil)
    let made = test.dictionary.subscribe("k", of: Int.self) { change in
      log.append(change)
      if change == .updated(1) { subscription.withLock { $0 }?.cancel() }
    }
    subscription.withLock { $0 = made }
    for number in 1...3 { try test.workspace.transactAndWait { $0.dictionary["k"] = number } }
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(1)])
    subscription.withLock { $0 = nil }
  }

  @Test("An observer that another one cancels in the same delivery is not called") func ofAnother() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let second = Lock<WorkspaceSubscription?>(nil)
    let first = test.dictionary.subscribe("k", of: Int.self) { change in
      log.append("first")
      if change == .updated(1) { second.withLock { $0 }?.cancel() }
    }
    let made = test.dictionary.subscribe("k", of: Int.self) { _ in log.append("second") }
    second.withLock { $0 = made }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try test.settle()
    #expect(log.events == ["first", "second", "first"])
    withExtendedLifetime(first) {}
    second.withLock { $0 = nil }
  }

  /// Checks that releasing the result of `subscribe` releases its closure, which has had `events` before and gets no
  /// others.
  private func expectRelease(
    after events: [String],
    _ subscribe: (WorkspaceDictionary, @escaping @Sendable (DictionaryChange) -> Void) -> WorkspaceSubscription
  ) throws {
    final class Token: Sendable {}
    let test = try TestWorkspace()
    let log = EventLog<String>()
    weak var token: Token?
    do {
      let owned = Token()
      token = owned
      let subscription = subscribe(test.dictionary) { _ in withExtendedLifetime(owned) { log.append("told") } }
      withExtendedLifetime(subscription) {}
    }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try test.settle()
    #expect(log.events == events)
    #expect(token == nil)
  }

  @Test("Releasing a key's subscription ends its delivery and releases its closure") func releasedKey() throws {
    try expectRelease(after: ["told"]) { dictionary, handler in dictionary.subscribe("k", changeHandler: handler) }
  }

  @Test("Releasing a prefix's subscription ends its delivery and releases its closure") func releasedPrefix() throws {
    try expectRelease(after: []) { dictionary, handler in
      dictionary.subscribe(withPrefix: "", changeHandler: handler)
    }
  }

  @Test("Cancelling an observer twice or after shutdown is harmless") func twice() throws {
    let test = try TestWorkspace()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { _ in }
    let prefix = test.dictionary.subscribe(withPrefix: "") { _ in }
    subscription.cancel()
    subscription.cancel()
    test.workspace.shutdown()
    prefix.cancel()
    let late = EventLog<Value>()
    let after = test.dictionary.subscribe("k", of: Int.self) { late.append($0) }
    after.cancel()
    #expect(late.events == [])
  }

  @Test("Observers can be cancelled on many threads while a writer commits") func underLoad() throws {
    let test = try TestWorkspace()
    let isOver = Lock(false)
    let writer = BackgroundThread {
      var number = 0
      while !isOver.withLock({ $0 }) {
        number += 1
        try test.workspace.transactAndWait { $0.dictionary["k"] = number }
      }
    }
    let cancellers = (0..<3).map { _ in
      BackgroundThread {
        for _ in 0..<60 {
          let log = EventLog<Value>()
          let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
          subscription.cancel()
          guard case .initial? = log.events.first else {
            Issue.record("The observer got no initial value")
            return
          }
        }
      }
    }
    for canceller in cancellers { try canceller.join() }
    isOver.withLock { $0 = true }
    try writer.join()
  }

  @Test("A11: Cancelling an observer releases its closure on the calling thread, under no lock")
  func releasedCaptures() throws {
    // writer:     moves the cache, the observer is due ─ stops            ─ goes on
    // canceller:                                               cancels: the closure's object writes as it goes
    final class Last: Sendable {
      let dictionary: WorkspaceDictionary
      let gone: Gate
      init(_ dictionary: WorkspaceDictionary, _ gone: Gate) {
        self.dictionary = dictionary
        self.gone = gone
      }
      deinit {
        dictionary["last"] = 1
        _ = dictionary["k", Int.self]
        gone.open()
      }
    }
    let test = try TestWorkspace()
    let gone = Gate("the object's end")
    let subscription: WorkspaceSubscription
    do {
      let last = Last(test.dictionary, gone)
      subscription = test.dictionary.subscribe("k", of: Int.self) { _ in withExtendedLifetime(last) {} }
    }
    let moved = Stop(at: .movedBeforePublished, in: test)
    let writer = BackgroundThread { try test.workspace.transactAndWait { $0.dictionary["k"] = 1 } }
    try moved.wait()
    subscription.cancel()
    #expect(gone.opened)
    moved.resume()
    try writer.join()
    #expect(test.dictionary["last"] == 1)
  }
}
