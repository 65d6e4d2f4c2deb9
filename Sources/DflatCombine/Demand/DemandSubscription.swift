import DflatCore

#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// One subscriber's subscription: a state machine behind a lock. The subscriber, and user code in its values, is called
/// and released only outside the lock (A11); only one thread at a time calls the subscriber.
///
/// Sendable, because its variables are in `state`, and a subscriber takes calls on any thread, one at a time. Like the
/// subscriber, it lives until it is cancelled or finished, or until the workspace's subscription releases it.
final class DemandSubscription<Downstream: Subscriber>: Subscription, ValueSink, @unchecked Sendable {
  typealias Value = Downstream.Input
  typealias Failure = Downstream.Failure

  private struct State {
    var demand: DemandState<Value, Failure>
    var subscriber: Downstream?
    /// Nil after the first demand.
    var source: DemandSource<Value, Failure>?
    /// Nil before the first demand.
    var subscription: WorkspaceSubscription?
  }

  private let state: Lock<State>

  init(subscriber: Downstream, skipping: SkipMerge<Value>? = nil, source: @escaping DemandSource<Value, Failure>) {
    state = Lock(State(demand: DemandState(skipping: skipping), subscriber: subscriber, source: source))
  }

  // MARK: The subscriber's side

  func request(_ demand: Subscribers.Demand) {
    let source = state.withLock { state -> DemandSource<Value, Failure>? in
      guard state.demand.request(demand) else { return nil }
      defer { state.source = nil }
      return state.source
    }
    if let source { begin(source) }
    deliver()
  }

  func cancel() {
    let released = state.withLock { state in
      let undelivered = state.demand.close()
      return (undelivered, Self.dismantle(&state))
    }
    released.1.subscription?.cancel()
  }

  /// Begins the workspace's subscription. Cancels it if this one was cancelled, perhaps by the receiver of the first
  /// value, or finished meanwhile.
  private func begin(_ source: DemandSource<Value, Failure>) {
    guard let subscription = source(self) else { return }
    let isActive = state.withLock { state in
      if state.demand.isActive { state.subscription = subscription }
      return state.demand.isActive
    }
    if !isActive { subscription.cancel() }
  }

  // MARK: The workspace's side

  var isOpen: Bool { state.withLock { $0.demand.isActive } }

  func offer(_ value: Value) {
    let replaced = state.withLock { $0.demand.offer(value) }
    withExtendedLifetime(replaced) { deliver() }
  }

  func offer(last value: Value) {
    state.withLock { $0.demand.offer(last: value) }
    deliver()
  }

  func end(_ completion: Subscribers.Completion<Failure>) {
    state.withLock { $0.demand.end(completion) }
    deliver()
  }

  // MARK: Delivery

  private func deliver() {
    guard state.withLock({ $0.demand.beginDelivering() }) else { return }
    var more = Subscribers.Demand.none
    while true {
      let (step, parts) = state.withLock { state in
        let step = state.demand.next(adding: more)
        if case .finish = step { return (step, Self.dismantle(&state)) }
        return (step, Parts(subscriber: state.subscriber))
      }
      switch step {
      case .deliver(let value): more = parts.subscriber?.receive(value) ?? .none
      case .finish(let completion):
        parts.subscription?.cancel()
        parts.subscriber?.receive(completion: completion)
        return
      case .rest: return
      }
    }
  }

  /// The parts to call or release outside the lock.
  private struct Parts {
    var subscriber: Downstream?
    var source: DemandSource<Value, Failure>?
    var subscription: WorkspaceSubscription?
  }

  private static func dismantle(_ state: inout State) -> Parts {
    defer { (state.subscriber, state.source, state.subscription) = (nil, nil, nil) }
    return Parts(subscriber: state.subscriber, source: state.source, subscription: state.subscription)
  }
}

extension Subscriber {
  /// Gives the subscriber a subscription that begins with its first demand.
  func begin(skipping: SkipMerge<Input>? = nil, _ source: @escaping DemandSource<Input, Failure>) {
    receive(subscription: DemandSubscription(subscriber: self, skipping: skipping, source: source))
  }
}
