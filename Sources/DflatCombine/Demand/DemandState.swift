#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// Combines a value that was never delivered with the value that replaces it. Returns the value to deliver.
typealias SkipMerge<Value> = @Sendable (_ skipped: Value, _ value: Value) -> Value

/// The demand of one subscriber, and the values that wait for it. A state machine without locks and callbacks.
///
///     waiting ──first demand──► open ──last value, or the end──► ending ──all delivered──► closed
///        └──────────────────────────┴────────── cancelled ──────────┴──────────────────────►─┘
///
/// Of the values without demand, it keeps the newest, and in addition the subscription's last value: an object's
/// deletion doesn't replace an update. One thread at a time delivers: the first to find that a value is due. The others
/// store their values and return.
struct DemandState<Value, Failure: Error> {
  /// The next step of the thread that delivers.
  enum Step {
    case deliver(Value)
    case finish(Subscribers.Completion<Failure>)
    /// Nothing is due: from now on, another thread may deliver.
    case rest
  }

  private enum Stage { case waiting, open, ending, closed }

  private let skip: SkipMerge<Value>?
  private var stage = Stage.waiting
  private var demand = Subscribers.Demand.none
  private var newest: Value?
  private var last: Value?
  private var completion = Subscribers.Completion<Failure>.finished
  private var isDelivering = false

  init(skipping skip: SkipMerge<Value>? = nil) { self.skip = skip }

  /// False after cancellation or completion.
  var isActive: Bool { stage != .closed }

  /// Adds to the demand. Returns true for the first demand, which begins the subscription.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard stage != .closed, more > .none else { return false }
    demand += more
    guard stage == .waiting else { return false }
    stage = .open
    return true
  }

  /// Stores a value to deliver. Returns the value that will never be delivered: the one it replaces, or itself if the
  /// subscription isn't open.
  mutating func offer(_ value: Value) -> Value? {
    guard stage == .open else { return value }
    let skipped = newest
    newest = if let skip, let skipped { skip(skipped, value) } else { value }
    return skipped
  }

  /// Stores the last value to deliver, after which the subscription ends.
  mutating func offer(last value: Value) {
    guard stage == .open else { return }
    last = value
    stage = .ending
  }

  /// Ends the subscription after the stored values. Like every completion, it needs no demand.
  mutating func end(_ completion: Subscribers.Completion<Failure> = .finished) {
    guard stage == .waiting || stage == .open else { return }
    self.completion = completion
    stage = .ending
  }

  /// Cancels the subscription. Returns the values that will not be delivered.
  mutating func close() -> [Value] {
    stage = .closed
    defer { (newest, last) = (nil, nil) }
    return [newest, last].compactMap { $0 }
  }

  /// Returns true if no thread delivers. Then the caller does, until ``next(adding:)`` returns `rest` or `finish`.
  mutating func beginDelivering() -> Bool {
    guard !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next step of the thread that delivers; `more` is the subscriber's new demand after the previous value.
  mutating func next(adding more: Subscribers.Demand = .none) -> Step {
    guard stage != .closed else { return rest() }
    demand += more
    if newest == nil, last == nil {
      guard stage == .ending else { return rest() }
      stage = .closed
      return .finish(completion)
    }
    guard demand > .none else { return rest() }
    demand -= 1
    if let value = newest {
      newest = nil
      return .deliver(value)
    }
    defer { last = nil }
    return last.map { .deliver($0) } ?? rest()
  }

  private mutating func rest() -> Step {
    isDelivering = false
    return .rest
  }
}
