#if canImport(Combine)
  import Combine
#else
  import OpenCombine
#endif

/// Makes of a value that nobody was given, and the one that takes its place, what is given instead of both.
typealias Skipping<Value> = @Sendable (_ skipped: Value, _ value: Value) -> Value

/// What one subscriber has asked for, and what waits until it asks for more: no locks, no callbacks.
///
///     waiting ──first demand──► open ──last value, or the end──► ending ──all delivered──► closed
///        └──────────────────────────┴────────── cancelled ──────────┴──────────────────────►─┘
///
/// Of the values that nobody has asked for yet the newest is kept, and beside it the last one there will ever be: an
/// object's deletion takes nothing away. Values are handed out one at a time, by whoever is the first to see that one is
/// due: the others leave theirs and go.
struct DemandState<Value> {
  /// What is to be done next by the one who delivers.
  enum Step {
    case deliver(Value)
    case finish
    /// Nothing is due: somebody else may deliver from now on.
    case rest
  }

  private enum Stage { case waiting, open, ending, closed }

  private let skip: Skipping<Value>?
  private var stage = Stage.waiting
  private var demand = Subscribers.Demand.none
  private var newest: Value?
  private var last: Value?
  private var isDelivering = false

  init(skipping skip: Skipping<Value>? = nil) { self.skip = skip }

  /// False from the cancellation or the completion on.
  var isActive: Bool { stage != .closed }

  /// The subscriber asks for values; true for the first time, when the subscription is to begin.
  mutating func request(_ more: Subscribers.Demand) -> Bool {
    guard stage != .closed, more > .none else { return false }
    demand += more
    guard stage == .waiting else { return false }
    stage = .open
    return true
  }

  /// A value to deliver. The one whose place it takes, which nobody will see.
  mutating func offer(_ value: Value) -> Value? {
    guard stage == .open else { return value }
    let skipped = newest
    newest = if let skip, let skipped { skip(skipped, value) } else { value }
    return skipped
  }

  /// The last value to deliver; the end follows it.
  mutating func offer(last value: Value) {
    guard stage == .open else { return }
    last = value
    stage = .ending
  }

  /// No more values come.
  mutating func end() {
    if stage == .waiting || stage == .open { stage = .ending }
  }

  /// Cancelled. What will not be delivered any more.
  mutating func close() -> [Value] {
    stage = .closed
    defer { (newest, last) = (nil, nil) }
    return [newest, last].compactMap { $0 }
  }

  /// True when nobody delivers: then the caller does, until ``next(adding:)`` says `rest` or `finish`.
  mutating func beginDelivering() -> Bool {
    guard !isDelivering else { return false }
    isDelivering = true
    return true
  }

  /// The next step of the one who delivers; `more` is what the subscriber asked for as it received the value before.
  mutating func next(adding more: Subscribers.Demand = .none) -> Step {
    guard stage != .closed else { return rest() }
    demand += more
    if newest == nil, last == nil {
      guard stage == .ending else { return rest() }
      stage = .closed
      return .finish
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
