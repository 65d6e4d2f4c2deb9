import Foundation
import TestSupport
import Testing

@testable import DflatKV

/// A4 for observers of keys and of prefixes: the changes that they get, their order, and the end of their delivery.
@Suite struct SubscriptionTests {
  typealias Value = SubscribedDictionaryValue<Int>

  @Test("A4: An observer gets the initial value, updates and removals in commit order") func sequence() throws {
    let test = try TestWorkspace()
    let log = EventLog<Value>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    for value in [1, 2, nil, nil, 3, 3, 4] as [Int?] {
      try test.workspace.transactAndWait { $0.dictionary["k", Int.self] = value }
    }
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(1), .updated(2), .deleted, .updated(3), .updated(4)])
    subscription.cancel()
  }

  @Test("The initial value is delivered on the caller's thread before subscribe returns") func initialThread() throws {
    let test = try TestWorkspace()
    let threads = try BackgroundThread {
      Thread.current.threadDictionary["isCaller"] = true
      let log = EventLog<Bool>()
      let subscription = test.dictionary.subscribe("k", of: Int.self) { _ in
        log.append(Thread.current.threadDictionary["isCaller"] as? Bool == true)
      }
      return withExtendedLifetime(subscription) { log.events }
    }.join()
    #expect(threads == [true])
  }

  @Test("A4: A read shows a value before its observer gets it, and the completion comes last") func around() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { change in
      guard case .updated(let value) = change else { return }
      log.append("observer \(value), read \(test.dictionary["k", default: -1])")
    }
    test.workspace.performChanges([]) {
      $0.dictionary["k"] = 1
    } completionHandler: { succeeded in
      log.append("completion \(succeeded)")
    }
    #expect(try log.wait(forCount: 2) == ["observer 1, read 1", "completion true"])
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    #expect(log.events.last == "observer 2, read 2")
    subscription.cancel()
  }

  @Test("A2: Observers are not notified of aborted and failed transactions") func aborted() throws {
    struct Refusal: Error {}
    let test = try TestWorkspace()
    let log = EventLog<Value>()
    let all = EventLog<String>()
    let subscriptions = [
      test.dictionary.subscribe("k", of: Int.self) { log.append($0) },
      test.dictionary.subscribe(withPrefix: "") { all.append($0.key) },
    ]
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = 1
        transaction.abort()
      }
    }
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = 2
        throw Refusal()
      }
    }
    try test.settle()
    #expect(log.events == [.initial(nil)])
    #expect(all.events == [])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("A value of another type is observed as absent and reported") func otherType() throws {
    let test = try TestWorkspace()
    test.dictionary["k"] = "text"
    try test.dictionary.synchronize()
    let log = EventLog<Value>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try test.workspace.transactAndWait { $0.dictionary["k"] = true }
    try test.settle()
    #expect(log.events == [.initial(nil), .updated(1), .deleted])
    #expect(try test.errors.wait(forCount: 1).allSatisfy { $0.code == .typeMismatch && $0.key == "k" })
    subscription.cancel()
  }

  @Test("A7: A row that can't be read is observed as absent at first and reported") func unreadable() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    try test.workspace.transactAndWait { $0.dictionary["k"] = 1 }
    try RawDatabase.execute("UPDATE dictionary SET type = 99", on: test.directory.file())
    let other = try test.another()
    let log = EventLog<Value>()
    let subscription = other.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    #expect(log.events == [.initial(nil)])
    #expect(try other.errors.wait(forCount: 1).map(\.code) == [.undecodable])
    subscription.cancel()
  }

  @Test("A store has no prefix observers left after the last one is cancelled") func lastPrefixObserver() throws {
    let test = try TestWorkspace()
    let observers = DictionaryStore.of(test.core).prefixObservers
    let first = test.dictionary.subscribe(withPrefix: "a") { _ in }
    let second = test.dictionary.subscribe(withPrefix: "b") { _ in }
    first.cancel()
    #expect(!observers.isEmpty)
    second.cancel()
    #expect(observers.isEmpty)
  }

  @Test("A subscription that is kept doesn't keep the cache of a closed workspace") func keptAfterTheEnd() throws {
    let test = try TestWorkspace()
    let subscriptions = [
      test.dictionary.subscribe("k1") { _ in }, test.dictionary.subscribe(withPrefix: "k") { _ in },
    ]
    try test.workspace.transactAndWait { txn in for number in 0..<100 { txn.dictionary["k\(number)"] = number } }
    #expect(test.workspace.dictionaryCache.entries == 100)
    test.workspace.shutdown()
    #expect(test.workspace.dictionaryCache.entries == 0)
    #expect(DictionaryStore.of(test.core).prefixObservers.isEmpty)
    #expect(test.dictionary["k1", Int.self] == nil)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("An observer of a key without a type gets values of every type") func untyped() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let subscription = test.dictionary.namespace("n").subscribe("k") { change in
      let value = (try? change.value(as: Int.self)).map { "\($0)" } ?? "no Int"
      log.append("\(change.event) \(change.namespace).\(change.key) \(change.commitNumber) \(value)")
    }
    try test.workspace.transactAndWait { $0.dictionary.namespace("n")["k"] = 5 }
    try test.workspace.transactAndWait { $0.dictionary.namespace("n")["k"] = "text" }
    try test.workspace.transactAndWait { $0.dictionary.namespace("n").removeAll() }
    try test.settle()
    #expect(log.events == ["initial n.k 0 no Int", "updated n.k 1 5", "updated n.k 2 no Int", "deleted n.k 3 no Int"])
    subscription.cancel()
  }

  @Test("A prefix observer gets its namespace's matching keys with one number per transaction") func prefixes() throws {
    let test = try TestWorkspace()
    test.dictionary["a.old"] = 1
    test.dictionary["b"] = 1
    try test.dictionary.synchronize()
    let log = EventLog<String>()
    let subscription = test.dictionary.subscribe(withPrefix: "a.") { change in
      log.append("\(change.event) \(change.key) \(change.commitNumber)")
    }
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["a.1"] = 1
      transaction.dictionary["a.2"] = Point(x: 1, y: 1)
      transaction.dictionary["b"] = 2
      transaction.dictionary["a"] = 2
      transaction.dictionary.namespace("other")["a.1"] = 1
      transaction.dictionary["a.none"] = Int?.none
    }
    try test.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "a.") }
    try test.workspace.transactAndWait { $0.dictionary.removeAll() }
    try test.workspace.transactAndWait { $0.dictionary["a.1"] = 3 }
    try test.settle()
    #expect(
      log.events == [
        "updated a.1 2", "updated a.2 2", "deleted a.1 3", "deleted a.2 3", "deleted a.old 3", "updated a.1 5",
      ])
    subscription.cancel()
  }

  @Test("A4: Observers that subscribe during commits get rising values without gaps")
  func underLoad() throws {
    let test = try TestWorkspace()
    let writer = BackgroundThread {
      for number in 1...400 { try test.workspace.transactAndWait { $0.dictionary["k"] = number } }
    }
    var subscriptions: [WorkspaceSubscription] = []
    var logs: [EventLog<Value>] = []
    for _ in 0..<40 {
      let log = EventLog<Value>()
      subscriptions.append(test.dictionary.subscribe("k", of: Int.self) { log.append($0) })
      logs.append(log)
    }
    try writer.join()
    try test.settle()
    for log in logs {
      guard case .initial(let first)? = log.events.first else {
        Issue.record("The observer got no initial value")
        continue
      }
      let expected = [Value.initial(first)] + ((first ?? 0) + 1..<401).map { .updated($0) }
      #expect(log.events == expected)
    }
    withExtendedLifetime(subscriptions) {}
  }
}
