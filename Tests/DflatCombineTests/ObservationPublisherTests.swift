import DflatCombine
import DflatCore
import GoldenModels
import TestSupport
import Testing

@Suite struct ObservationPublisherTests {
  struct Refusal: Error {}

  typealias Demanding = FailableSubscriber<Int, any Error>

  private func subscribe(_ observation: WorkspaceObservation<Int>, _ demand: Subscribers.Demand) -> Demanding {
    let subscriber = Demanding(demand)
    observation.publisher().subscribe(subscriber)
    return subscriber
  }

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
    #expect(subscriber.values == [0, 1])
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 1, 3])
  }

  @Test("Each subscriber's closure runs first on its first demand") func firstDemand() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(test.workspace.observe { $0.dictionary["k", default: 0] }, .none)
    try test.commit(1)
    #expect(subscriber.values == [])
    subscriber.request(.unlimited)
    #expect(subscriber.values == [1])
  }

  @Test("The error that ends the observation is the publisher's failure, and needs no demand") func failure() throws {
    let test = try TestWorkspace()
    let observation = refusing(2, of: test)
    let failures = EventLog<Bool>()
    let cancellable = observation.publisher().sink { completion in
      if case .failure(let error) = completion { failures.append(error is Refusal) }
    } receiveValue: { _ in
    }
    let subscriber = subscribe(observation, .max(2))
    try test.commit(1, 2, 3)
    #expect(failures.events == [true])
    #expect(subscriber.values == [0, 1])
    #expect(subscriber.failure is Refusal)
    cancellable.cancel()
  }

  @Test("The failure follows the value that waits for demand") func failureAfterValue() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(refusing(2, of: test), .max(1))
    try test.commit(1, 2, 3)
    #expect(subscriber.values == [0] && subscriber.failure == nil)
    subscriber.request(.max(1))
    #expect(subscriber.values == [0, 1])
    #expect(subscriber.failure is Refusal)
  }

  @Test("A closure that fails at once makes the publisher fail") func failureAtFirst() throws {
    let test = try TestWorkspace()
    let subscriber = subscribe(refusing(0, of: test), .max(1))
    #expect(subscriber.values == [] && subscriber.failure is Refusal)
  }

  /// Returns an observation that fails when the key has a value.
  private func refusing(_ refused: Int, of test: TestWorkspace) -> WorkspaceObservation<Int> {
    test.workspace.observe { reader in
      let value = reader.dictionary["k", default: 0]
      if value == refused { throw Refusal() }
      return value
    }
  }

  @Test("A publisher finishes when the workspace closes") func shutdown() throws {
    let test = try TestWorkspace()
    let observation = test.workspace.observe { $0.dictionary["k", default: 0] }
    let subscriber = subscribe(observation, .unlimited)
    test.workspace.shutdown()
    let late = subscribe(observation, .unlimited)
    #expect(subscriber.isFinished && subscriber.values == [0])
    #expect(late.isFinished && late.values == [])
  }
}
