import DflatCombine
import DflatCore
import GoldenModels
import TestSupport
import Testing

@Suite struct ObservationPublisherTests {
  struct Refusal: Error {}

  typealias Demanding = DemandingSubscriber<Result<Int, any Error>>

  /// Subscribes to the publisher of results behind that of values.
  private func subscribe(_ observation: WorkspaceObservation<Int>, _ demand: Subscribers.Demand) -> Demanding {
    let subscriber = Demanding(demand)
    observation.publisher().upstream.subscribe(subscriber)
    return subscriber
  }

  private func values(_ subscriber: Demanding) -> [Int?] { subscriber.values.map { try? $0.get() } }

  @Test("A publisher gives keys and objects of one commit together") func together() throws {
    let test = try TestWorkspace()
    let log = EventLog<String>()
    let cancellable = test.workspace.observe { reader -> (Int, [String]) in
      (reader.dictionary["k", default: 0], reader.fetch(for: Post.self).all().map(\.title))
    }
    .publisher()
    .sink { _ in
    } receiveValue: { number, titles in
      log.append("\(number) \(titles)")
    }
    try test.workspace.transactAndWait([Post.self]) { txn in
      txn.dictionary["k"] = 1
      try txn.insert(Post(title: "a"))
    }
    try test.settle()
    #expect(log.events == ["0 []", "1 [\"a\"]"])
    cancellable.cancel()
    try test.commit(2)
    #expect(log.events.count == 2)
  }

  @Test("A publisher gives no more than its demand, then the newest value") func limited() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.observe { $0.dictionary["k", default: 0] }, .max(2))
    try test.commit(1, 2, 3)
    #expect(values(subscriber) == [0, 1])
    subscriber.request(.max(1))
    #expect(values(subscriber) == [0, 1, 3])
  }

  @Test("Each subscriber's closure runs first on its first demand") func firstDemand() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.observe { $0.dictionary["k", default: 0] }, .none)
    try test.commit(1)
    #expect(values(subscriber) == [])
    subscriber.request(.unlimited)
    #expect(values(subscriber) == [1])
  }

  @Test("An error is the last element, even without demand, and the failure of the mapped publisher")
  func failure() throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { reader -> Int in
      let value = reader.dictionary["k", default: 0]
      if value == 2 { throw Refusal() }
      return value
    }
    let failures = EventLog<Bool>()
    let cancellable = observation.publisher().sink { completion in
      if case .failure(let error) = completion { failures.append(error is Refusal) }
    } receiveValue: { _ in
    }
    let subscriber = subscribe(observation, .max(1))
    try test.commit(1, 2, 3)
    #expect(failures.events == [true])
    #expect(values(subscriber) == [0])
    subscriber.request(.unlimited)
    #expect(values(subscriber) == [0, 1, nil])
    #expect(subscriber.isFinished)
    cancellable.cancel()
  }

  @Test("A publisher finishes when the workspace closes") func shutdown() throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    let subscriber = subscribe(observation, .unlimited)
    test.workspace.shutdown()
    let late = subscribe(observation, .unlimited)
    #expect(subscriber.isFinished && values(subscriber) == [0])
    #expect(late.isFinished && values(late) == [])
  }
}
