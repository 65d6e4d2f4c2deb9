import DflatCombine
import DflatCore
import TestSupport

/// A subscriber that requests values when a test asks it to, and keeps all values that it receives.
final class DemandingSubscriber<Input: Sendable>: Subscriber, @unchecked Sendable {  // its properties are constants
  typealias Failure = Never

  enum Event: Sendable {
    case value(Input)
    case finished

    var value: Input? {
      if case .value(let value) = self { return value }
      return nil
    }
  }

  let log = EventLog<Event>()
  private let subscription = Lock<(any Subscription)?>(nil)
  private let atFirst: Subscribers.Demand
  private let onValue: @Sendable (DemandingSubscriber, Input) -> Subscribers.Demand

  /// Requests `atFirst` values as soon as it is subscribed, and at each value as many as `onValue` returns.
  init(
    _ atFirst: Subscribers.Demand = .none,
    onValue: @escaping @Sendable (DemandingSubscriber, Input) -> Subscribers.Demand = { _, _ in .none }
  ) {
    self.atFirst = atFirst
    self.onValue = onValue
  }

  var values: [Input] { log.events.compactMap(\.value) }
  var isFinished: Bool {
    guard case .finished? = log.events.last else { return false }
    return true
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

  func receive(completion: Subscribers.Completion<Never>) { log.append(.finished) }
}
