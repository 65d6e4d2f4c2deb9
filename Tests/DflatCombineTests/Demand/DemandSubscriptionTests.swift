import DflatCore
import Synchronization
import TestSupport
import Testing

@testable import DflatCombine

/// Subscriptions that several threads use.
@Suite struct DemandSubscriptionTests {
  /// A subscriber that counts overlapping calls, which are forbidden.
  private final class Watchful: Subscriber, Sendable {
    typealias Input = Int
    typealias Failure = Never

    let calls = Atomic(0)
    let overlaps = Atomic(0)
    let log = EventLog<Int?>()
    private let answer: Subscribers.Demand

    init(answering answer: Subscribers.Demand) { self.answer = answer }

    func receive(subscription: any Subscription) {}

    func receive(_ input: Int) -> Subscribers.Demand {
      watch { log.append(input) }
      return input % 5 == 0 ? answer : .none
    }

    func receive(completion: Subscribers.Completion<Never>) { watch { log.append(nil) } }

    private func watch(_ body: () -> Void) {
      if calls.add(1, ordering: .sequentiallyConsistent).oldValue != 0 {
        overlaps.add(1, ordering: .sequentiallyConsistent)
      }
      body()
      calls.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  @Test("Values offered during requests arrive in order, within the demand and one at a time", arguments: [0, 1])
  func requestsBesideOffers(answer: Int) throws {
    let values = 3_000
    let (requesters, requests) = (3, 400)
    let subscriber = Watchful(answering: .max(answer))
    let sink = EventLog<any ValueSink<Int, Never>>()
    let subscription = DemandSubscription(subscriber: subscriber) { source in
      sink.append(source)
      return WorkspaceSubscription {}
    }
    let start = Barrier(parties: requesters + 1)
    let threads = (0..<requesters).map { _ in
      BackgroundThread {
        try start.arriveAndWait()
        for _ in 0..<requests { subscription.request(.max(1)) }
      }
    }
    let offering = BackgroundThread {
      try start.arriveAndWait()
      guard let sink = try sink.wait(forCount: 1).first else { return }
      for value in 1..<values { sink.offer(value) }
      sink.offer(last: values)
    }
    for thread in threads { try thread.join() }
    try offering.join()

    let beforeTheRest = subscriber.log.events.compactMap { $0 }
    let answered = beforeTheRest.count { $0 % 5 == 0 } * answer
    #expect(beforeTheRest.count <= requesters * requests + answered)
    subscription.request(.unlimited)
    let received = subscriber.log.events
    #expect(received.last == .some(nil))
    #expect(received.dropLast().last == values)
    #expect(zip(received, received.dropFirst().dropLast()).allSatisfy { pair in pair.0 ?? 0 < pair.1 ?? 0 })
    #expect(subscriber.overlaps.load(ordering: .sequentiallyConsistent) == 0)
  }

  @Test("A subscription that is cancelled while it begins cancels its source") func cancelledAtBeginning() {
    let log = EventLog<String>()
    let kept = Lock<WorkspaceSubscription?>(nil)
    let itself = Lock<(any Subscription)?>(nil)
    let subscription = DemandSubscription(subscriber: Watchful(answering: .none)) { _ in
      itself.withLock { $0 }?.cancel()
      let begun = WorkspaceSubscription { log.append("cancelled") }
      kept.withLock { $0 = begun }
      return begun
    }
    itself.withLock { $0 = subscription }
    subscription.request(.max(1))
    #expect(log.events == ["cancelled"])
    itself.withLock { $0 = nil }
  }

  @Test("A subscription that ends while it begins delivers its value and its end") func endedAtBeginning() {
    let subscriber = Watchful(answering: .none)
    let subscription = DemandSubscription(subscriber: subscriber) { sink in
      sink.offer(1)
      sink.end()
      return nil
    }
    subscription.request(.max(1))
    #expect(subscriber.log.events == [1, nil])
    subscription.request(.max(1))
    subscription.cancel()
    #expect(subscriber.log.events == [1, nil])
  }
}
