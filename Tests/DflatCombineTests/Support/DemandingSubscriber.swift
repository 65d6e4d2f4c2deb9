import DflatCombine
import DflatCore
import TestSupport

/// A subscriber of a publisher that never fails.
typealias DemandingSubscriber<Input: Sendable> = FailableSubscriber<Input, Never>

/// A subscriber that requests values when a test asks it to, and keeps all values that it receives.
final class FailableSubscriber<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {  // constants only
  enum Event: Sendable {
    case value(Input)
    case finished
    case failed(Failure)

    var value: Input? {
      if case .value(let value) = self { return value }
      return nil
    }
  }

  let log = EventLog<Event>()
  private let subscription = Lock<(any Subscription)?>(nil)
  private let atFirst: Subscribers.Demand
  private let onValue: @Sendable (FailableSubscriber, Input) -> Subscribers.Demand

  /// Requests `atFirst` values as soon as it is subscribed, and at each value as many as `onValue` returns.
  init(
    _ atFirst: Subscribers.Demand = .none,
    onValue: @escaping @Sendable (FailableSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.atFirst = atFirst
    self.onValue = onValue
  }

  var values: [Input] { log.events.compactMap(\.value) }
  var isFinished: Bool {
    guard case .finished? = log.events.last else { return false }
    return true
  }
  var failure: Failure? {
    guard case .failed(let error)? = log.events.last else { return nil }
    return error
  }

  func request(_ demand: Subscribers.Demand) { subscription.withLock { $0 }?.request(demand) }
  func cancel() { subscription.withLock { $0 }?.cancel() }
  /// Releases the subscription without cancelling it.
  func forget() { subscription.withLock { $0 = nil } }

  func receive(subscription: any Subscription) {
    self.subscription.withLock { $0 = subscription }
    if atFirst > .none { subscription.request(atFirst) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    log.append(.value(input))
    return onValue(self, input)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: log.append(.finished)
    case .failure(let error): log.append(.failed(error))
    }
  }
}
