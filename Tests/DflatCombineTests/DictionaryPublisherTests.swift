import DflatCombine
import DflatCore
import Foundation
import GoldenModels
import TestSupport
import Testing

@Suite struct DictionaryPublisherTests {
  typealias Change = SubscribedDictionaryValue<Int>
  typealias Demanding = DemandingSubscriber<Change>

  private func subscribe(
    _ test: TestWorkspace, _ demand: Subscribers.Demand = .none,
    onValue: @escaping @Sendable (Demanding, Change) -> Subscribers.Demand = { _, _ in .none }
  ) -> Demanding {
    let subscriber = Demanding(demand, onValue: onValue)
    test.dictionary.publisher("k", of: Int.self).subscribe(subscriber)
    return subscriber
  }

  @Test("A publisher gives the committed value, then each change in commit order") func order() throws {
    let test = try TestWorkspace()
    try test.commit(1)
    let subscriber = subscribe(test, .unlimited)
    try test.commit(2, nil, 3)
    #expect(subscriber.values == [.initial(1), .updated(2), .deleted, .updated(3)])
    #expect(!subscriber.isFinished)
  }

  @Test("A publisher begins with the first demand, on the requesting thread") func firstDemand() throws {
    let test = try TestWorkspace()
    let thread = Lock<ObjectIdentifier?>(nil)
    let subscriber = subscribe(test) { _, change in
      if case .initial = change { thread.withLock { $0 = ObjectIdentifier(Thread.current) } }
      return .none
    }
    try test.commit(1)
    #expect(subscriber.values.isEmpty)
    subscriber.request(.max(1))
    #expect(subscriber.values == [.initial(1)])
    #expect(thread.withLock { $0 } == ObjectIdentifier(Thread.current))
  }

  @Test("A subscriber in a transaction's closure gets the committed value first, then the transaction's")
  func inTransaction() throws {
    let test = try TestWorkspace()
    try test.commit(1)
    var subscribers: [Demanding] = []
    try test.workspace.transactAndWait { txn in
      txn.dictionary["k"] = 2
      let subscriber = subscribe(test, .unlimited)
      #expect(subscriber.values == [.initial(1)])
      // This one begins after the commit.
      subscribers = [subscriber, subscribe(test)]
    }
    try test.settle()
    subscribers[1].request(.unlimited)
    #expect(subscribers.map(\.values) == [[.initial(1), .updated(2)], [.initial(2)]])
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try test.workspace.transactAndWait { txn in
        txn.dictionary["k"] = 3
        subscribers.append(subscribe(test, .unlimited))
        throw Refusal()
      }
    }
    try test.commit(4)
    #expect(
      subscribers.map(\.values) == [
        [.initial(1), .updated(2), .updated(4)], [.initial(2), .updated(4)], [.initial(2), .updated(4)],
      ])
  }

  @Test("A publisher gives no more than its demand, then the newest of the waiting values") func limited() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test, .max(2))
    try test.commit(1, 2, 3)
    #expect(subscriber.values == [.initial(nil), .updated(1)])
    subscriber.request(.max(2))
    #expect(subscriber.values == [.initial(nil), .updated(1), .updated(3)])
    try test.commit(4, 5)
    #expect(subscriber.values == [.initial(nil), .updated(1), .updated(3), .updated(4)])
  }

  /// Expects that a subscriber gets all values if it demands the next one in `onValue`.
  private func expectAllValues(
    onValue: @escaping @Sendable (Demanding, Change) -> Subscribers.Demand
  ) throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test, .max(1), onValue: onValue)
    try test.commit(1, 2, 3)
    #expect(subscriber.values == [.initial(nil), .updated(1), .updated(2), .updated(3)])
  }

  @Test("A receiver may return its next demand") func returnedByReceiver() throws {
    try expectAllValues { _, _ in .max(1) }
  }

  @Test("A receiver may request its next value") func requestedByReceiver() throws {
    try expectAllValues { subscriber, _ in
      subscriber.request(.max(1))
      return .none
    }
  }

  @Test("A request during another thread's delivery returns at once and keeps the order")
  func requestBesideDelivery() throws {
    // delivery:  1 is received ─ stops                      ─ ends, receives 2
    // requester:                asks for more, returns
    let test = try TestWorkspace()
    let (reached, mayGoOn) = (Gate("delivery"), Gate("the end of the delivery"))
    let subscriber = subscribe(test, .max(2)) { _, change in
      guard change == .updated(1) else { return .none }
      reached.open()
      try? mayGoOn.wait()
      return .none
    }
    let writer = BackgroundThread { try test.commit(1, 2) }
    try reached.wait()
    subscriber.request(.max(1))
    #expect(subscriber.values == [.initial(nil), .updated(1)])
    mayGoOn.open()
    try writer.join()
    #expect(subscriber.values == [.initial(nil), .updated(1), .updated(2)])
  }

  @Test("A request also delivers a value that is committed while it delivers another one")
  func deliveryBesideRequest() throws {
    // requester:  asks, 1 is received ─ stops               ─ ends, receives 2
    // delivery:                                 leaves 2, ends
    let test = try TestWorkspace()
    let (reached, mayGoOn) = (Gate("requester"), Gate("the end of the request"))
    let subscriber = subscribe(test, .max(1)) { _, change in
      guard change == .updated(1) else { return .none }
      reached.open()
      try? mayGoOn.wait()
      return .none
    }
    try test.commit(1)
    let requester = BackgroundThread { subscriber.request(.max(2)) }
    try reached.wait()
    try test.commit(2)
    #expect(subscriber.values == [.initial(nil), .updated(1)])
    mayGoOn.open()
    try requester.join()
    #expect(subscriber.values == [.initial(nil), .updated(1), .updated(2)])
  }

  @Test("A publisher's asynchronous sequence demands one value at a time") func asynchronous() async throws {
    let test = try TestWorkspace()
    var values = test.dictionary.publisher("k", of: Int.self).values.makeAsyncIterator()
    #expect(await values.next() == .initial(nil))
    try await test.workspace.transact { $0.dictionary["k"] = 1 }
    #expect(await values.next() == .updated(1))
    try await test.workspace.transact { $0.dictionary["k"] = 2 }
    try await test.workspace.transact { $0.dictionary["k"] = 3 }
    #expect(await values.next() == .updated(3))
    await test.workspace.shutdown()
    #expect(await values.next() == nil)
  }

  @Test("A publisher loses no commit between its first value and its registration", arguments: [1, 2, 5])
  func lossless(number: Int) throws {
    // requester:  .initial is received ─ stops            ─ ends
    // writer:                           commits 1...n ─ delivered after it
    let test = try TestWorkspace()
    let subscriber = subscribe(test) { _, change in
      guard case .initial = change else { return .none }
      for value in 1...number { try? test.workspace.transactAndWait { $0.dictionary["k"] = value } }
      return .none
    }
    subscriber.request(.unlimited)
    try test.settle()
    let updates = (1...number).map { Change.updated($0) }
    #expect(subscriber.values == [.initial(nil)] + updates)
  }

  @Test("A cancelled subscriber gets no more values and no completion") func cancelled() throws {
    let test = try TestWorkspace()
    let subscribers = [
      subscribe(test, .unlimited) { subscriber, change in
        if change == .initial(nil) { subscriber.cancel() }
        return .unlimited
      },
      subscribe(test, .unlimited) { subscriber, change in
        if change == .updated(1) { subscriber.cancel() }
        return .none
      },
      subscribe(test, .max(2)),
    ]
    try test.commit(1, 2)
    subscribers[2].cancel()
    subscribers[2].request(.unlimited)
    try test.commit(3)
    test.workspace.shutdown()
    #expect(subscribers.map(\.values.count) == [1, 2, 2])
    #expect(subscribers.map(\.isFinished) == [false, false, false])
  }

  /// Expects that a subscriber with a waiting value is released after `end`.
  private func expectRelease(after end: (TestWorkspace, Demanding) -> Void) throws {
    let test = try TestWorkspace()
    weak var released: Demanding?
    do {
      let subscriber = subscribe(test, .max(1))
      released = subscriber
      try test.commit(1)
      end(test, subscriber)
      subscriber.request(.unlimited)
      subscriber.forget()
    }
    #expect(released == nil)
  }

  @Test("A cancelled subscription releases its subscriber") func releasedByCancelling() throws {
    try expectRelease { _, subscriber in subscriber.cancel() }
  }

  @Test("A finished subscription releases its subscriber") func releasedByFinishing() throws {
    try expectRelease { test, _ in test.workspace.shutdown() }
  }

  @Test("A publisher finishes when the workspace closes, after the waiting value") func shutdown() throws {
    let test = try TestWorkspace()
    let satisfied = subscribe(test, .unlimited)
    let waiting = subscribe(test, .max(1))
    let silent = subscribe(test)
    try test.commit(1)
    let publisher = test.dictionary.publisher("k", of: Int.self)
    test.workspace.shutdown()
    #expect(satisfied.isFinished)
    #expect(!waiting.isFinished)
    waiting.request(.max(1))
    #expect(waiting.values == [.initial(nil), .updated(1)] && waiting.isFinished)
    silent.request(.max(1))
    #expect(silent.values.isEmpty && silent.isFinished)
    let late = Demanding(.unlimited)
    publisher.subscribe(late)
    #expect(late.values.isEmpty && late.isFinished)
  }

  @Test("A publisher can be subscribed to on a queue") func subscribeOn() throws {
    let test = try TestWorkspace()
    try test.commit(1)
    let log = EventLog<Change>()
    let cancellable = test.dictionary.publisher("k", of: Int.self)
      .subscribe(on: DispatchQueue.global())
      .sink { log.append($0) }
    try log.wait(forCount: 1)
    try test.commit(2)
    try log.wait(forCount: 2)
    #expect(log.events == [.initial(1), .updated(2)])
    cancellable.cancel()
  }

  @Test("Publishers give native, Codable and FlatBuffers values, and those of a typed key") func kinds() throws {
    let test = try TestWorkspace()
    let dictionary = test.dictionary
    dictionary["int32"] = Int32(7)
    dictionary["names"] = ["Ada", "Grace"]
    dictionary["at"] = TextContent(text: "here")
    try dictionary.synchronize()
    func first<T>(_ key: String, of type: T.Type) -> T? where T: DictionaryCodable {
      firstValue(of: dictionary.publisher(key, of: type))
    }
    #expect(first("int32", of: Int.self) == 7)
    #expect(first("names", of: [String].self) == ["Ada", "Grace"])
    #expect(firstValue(of: dictionary.publisher("at", of: TextContent.self)) == TextContent(text: "here"))
    #expect(first("names", of: Bool.self) == nil)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.typeMismatch])

    let volume = DictionaryKey("volume", default: 0.5)
    let subscriber = DemandingSubscriber<Double>(.unlimited)
    dictionary.publisher(volume).subscribe(subscriber)
    dictionary[volume] = 0.8
    try dictionary.synchronize()
    dictionary.removeValue(forKey: volume)
    try dictionary.synchronize()
    try test.settle()
    #expect(subscriber.values == [0.5, 0.8, 0.5])
  }

  private struct OldSize: Codable, Equatable, Sendable { var width = 1 }
  private struct Size: Codable, Equatable, Sendable {
    var width = 7
    var height = 8
  }

  @Test("A typed key's publisher completes a value that lacks fields from the key's default") func addedFields() throws
  {
    let test = try TestWorkspace()
    test.dictionary["size"] = OldSize()
    try test.dictionary.synchronize()
    let subscriber = DemandingSubscriber<Size>(.unlimited)
    test.dictionary.publisher(DictionaryKey("size", default: Size())).subscribe(subscriber)
    #expect(subscriber.values == [Size(width: 1, height: 8)])
    #expect(test.errors.events.isEmpty)
  }

  @Test("The publisher of a typed key without a default gives nil for no value") func withoutDefault() throws {
    let test = try TestWorkspace()
    let name = DictionaryKey("name", of: String.self, namespace: "people")
    let subscriber = DemandingSubscriber<String?>(.unlimited)
    test.dictionary.publisher(name).subscribe(subscriber)
    try test.workspace.transactAndWait { $0.dictionary.namespace("people")["name"] = "Ada" }
    try test.workspace.transactAndWait { $0.dictionary.reset(name) }
    try test.settle()
    #expect(subscriber.values == [nil, "Ada", nil])
  }

  private struct Settings {
    @Persisted var volume: Double

    init(_ dictionary: WorkspaceDictionary) {
      _volume = Persisted(DictionaryKey("volume", namespace: "audio", default: 0.5), in: dictionary)
    }
  }

  @Test("A property's publisher gives its value, or its default, in the namespace of its key") func property() throws {
    let test = try TestWorkspace()
    let settings = Settings(test.dictionary)
    let subscriber = DemandingSubscriber<Double>(.unlimited)
    settings.$volume.publisher.subscribe(subscriber)
    settings.volume = 0.8
    try test.dictionary.synchronize()
    settings.$volume.reset()
    try test.dictionary.synchronize()
    try test.settle()
    #expect(subscriber.values == [0.5, 0.8, 0.5])
    #expect(!test.dictionary.contains("volume"))
  }

  private func firstValue<T: Sendable>(of publisher: DictionaryValuePublisher<T>) -> T? {
    let subscriber = DemandingSubscriber<SubscribedDictionaryValue<T>>(.max(1))
    publisher.subscribe(subscriber)
    defer { subscriber.cancel() }
    guard case .initial(let value)? = subscriber.values.first else { return nil }
    return value
  }
}
