import HistoryChecker
import TestSupport

/// Makes ordered histories: executes calls one after another on a model, and gives them times that overlap. Histories
/// that `run` makes are correct; seeded anomalies use `record` and the state instead.
struct OrderedSimulator {
  typealias Operation = OrderedHistory.Operation
  typealias Selection = OrderedHistory.Selection
  typealias Step = OrderedHistory.Step

  /// The process that observes, and the one that makes plain writes.
  static let (observer, plainWriter) = (1, 2)

  private(set) var history = OrderedKeys.history
  var random: SeededGenerator
  private(set) var state: [Int: (value: Int, attribute: Int)] = [:]
  private var chain = OrderedHistory.Chain(process: OrderedSimulator.plainWriter)
  private var nextValue = 1
  private var nextVictim = 100
  private var now: UInt64 = 1_000

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var finished: OrderedHistory {
    var history = history
    history.add(chain, number: 0)
    return history
  }

  // MARK: Correct steps

  mutating func run(_ count: Int) {
    for _ in 0..<count { step() }
  }

  private mutating func step() {
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<7: runTransaction()
    case 7: swap()
    case 8: writePlainly()
    case 9: record(call(.plain), [randomRead()])
    default: record(call(.snapshot), (0..<3).map { _ in randomRead() })
    }
  }

  private mutating func runTransaction() {
    let before = state
    var outcome = OrderedHistory.Outcome.committed
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: outcome = .aborted
    case 2: outcome = .unknown
    default: break
    }
    // A killed process makes no further calls.
    if outcome == .unknown { nextVictim += 1 }
    let step = call(outcome: outcome, process: outcome == .unknown ? nextVictim : Int.random(in: 0...2, using: &random))
    var operations: [Operation] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) { operations += randomOperations() }
    let lasting = Int.random(in: OrderedKeys.lasting, using: &random)
    operations += [read(lasting), write(lasting)]
    record(step, operations)
    if outcome == .aborted || outcome == .unknown && Bool.random(using: &random) {
      state = before
    } else {
      observe(from: before)
    }
  }

  private mutating func randomOperations() -> [Operation] {
    let key = Int.random(in: 1_006..<1_024, using: &random)
    let attribute = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return [write(Int.random(in: OrderedKeys.fleeting, using: &random))]
    case 1: return [remove(Selection(8..<16))]
    case 2: return [write(key, attribute: attribute)]
    case 3: return [remove(Selection(OrderedKeys.objects[0], attribute...attribute))]
    default: return [randomRead()]
    }
  }

  mutating func randomRead() -> Operation {
    let attribute = Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return find(Selection(0..<32))
    case 1: return names(Selection(0..<32))
    case 2: return find(Selection(OrderedKeys.objects[0], attribute...attribute))
    case 3: return .count(Selection(1_000..<1_024, 0...attribute), found(Selection(1_000..<1_024, 0...attribute)).count)
    default: return read(Int.random(in: 0..<28, using: &random))
    }
  }

  private mutating func swap() {
    var step = call()
    (step.turn, step.isSwap) = (nil, true)
    let key = Int.random(in: OrderedKeys.swapped, using: &random)
    record(step, [read(key), write(key)])
  }

  mutating func writePlainly() {
    chain.invoked.append(now + 1)
    chain.returned.append(now + 2)
    now += 3
    let number = chain.invoked.count
    state[OrderedKeys.plain.lowerBound + (number.isMultiple(of: 2) ? 1 : 0)] = (number, 0)
  }

  mutating func synchronize() {
    chain.synced.append((chain.invoked.count, now + 1))
    now += 2
  }

  /// Notifies the observers of keys and of a query of changes.
  private mutating func observe(from before: [Int: (value: Int, attribute: Int)]) {
    for key in 0..<4 where before[key]?.value != state[key]?.value { tell(key) }
    let selection = Selection(OrderedKeys.objects[0], 1...1)
    let new = found(selection)
    let old = found(selection, in: before)
    if new != old { observe(.result(selection, new)) }
  }

  // MARK: Parts of steps

  mutating func newValue() -> Int {
    nextValue += 1
    return nextValue
  }

  func read(_ key: Int) -> Operation { .read(key: key, value: state[key]?.value ?? 0) }

  func found(
    _ selection: Selection, in state: [Int: (value: Int, attribute: Int)]? = nil
  ) -> [OrderedHistory.Found] {
    let state = state ?? self.state
    return selection.keys.compactMap { key in
      guard let one = state[key], selection.attributes.contains(one.attribute) else { return nil }
      return .init(key, one.value)
    }
  }

  func find(_ selection: Selection) -> Operation { .find(selection, found(selection)) }
  func names(_ selection: Selection) -> Operation { .names(selection, found(selection).map(\.key)) }

  mutating func write(_ key: Int, attribute: Int = 0) -> Operation {
    let value = newValue()
    state[key] = (value, attribute)
    return .write(key: key, value: value, attribute: attribute)
  }

  mutating func remove(_ selection: Selection) -> Operation {
    for one in found(selection) { state[one.key] = nil }
    return .remove(selection)
  }

  /// Returns a call around an instant that is later than the last call's. With `isWide` it overlaps its neighbors.
  mutating func call(
    _ kind: OrderedHistory.Kind = .transaction, outcome: OrderedHistory.Outcome = .committed, process: Int = 0,
    isWide: Bool = true
  ) -> Step {
    now += 10
    var step = Step(
      process: process, kind: kind, invoked: now - (isWide ? UInt64.random(in: 2...60, using: &random) : 2))
    if kind == .transaction { step.turn = now }
    step.outcome = outcome
    if outcome != .unknown { step.completed = now + (isWide ? UInt64.random(in: 1...60, using: &random) : 1) }
    // Plain reads of one thread are ordered, so each call gets a thread of its own.
    step.thread = history.steps.count
    return step
  }

  mutating func record(_ step: Step, _ operations: [Operation]) {
    var step = step
    step.operations = operations
    history.add(step)
  }

  mutating func tell(_ key: Int, _ value: Int? = nil, at time: UInt64? = nil) {
    observe(.key(key, value: value ?? state[key]?.value ?? 0), at: time)
  }

  mutating func observe(_ content: OrderedHistory.Observation.Content, at time: UInt64? = nil) {
    history.add(OrderedHistory.Observation(process: Self.observer, observer: 1, time: time ?? now, content))
  }

  mutating func kill(_ process: Int) { history.noteKill(of: process, at: now + 70) }
  mutating func drain(_ process: Int) { history.noteDrained(process) }
  mutating func wait() { now += 200 }
}
