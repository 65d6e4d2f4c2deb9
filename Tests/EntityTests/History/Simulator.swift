import HistoryChecker
import TestSupport

/// Makes histories: executes transactions one after another on a model, and gives them times that overlap. Histories
/// that `run` makes are correct; seeded anomalies use `record` and the state instead.
struct Simulator {
  enum Value: Equatable {
    case list([Int])
    case register(Int?)
  }

  /// The number of keys in use at a time. Even keys are lists, odd keys registers.
  static let keyCount = 12

  var random: SeededGenerator
  private(set) var state: [Int: Value] = [:]
  private var calls: [(call: History.Call, operations: [History.Operation])] = []
  private var observations: [History.Observation] = []
  private var observed: [Int: Value] = [:]
  private var nextValue = 1
  private var now: UInt64 = 1_000
  private var firstKey = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  var history: History {
    var history = History()
    for (call, operations) in calls { history.add(call, operations) }
    for observation in observations { history.add(observation) }
    return history
  }

  // MARK: Correct steps

  /// Executes random transactions.
  mutating func run(_ count: Int) {
    for _ in 0..<count { step() }
  }

  /// Reads every key in one transaction, later than all other calls.
  mutating func readAll() {
    now += 10_000
    record(call(), (firstKey..<firstKey + Self.keyCount).map { read($0) })
  }

  /// Continues with other keys, so that lists stay short.
  mutating func turnPage() {
    readAll()
    firstKey += Self.keyCount
    state = [:]
  }

  private mutating func step() {
    let outcome: History.Outcome
    let isApplied: Bool
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: (outcome, isApplied) = (.aborted, false)
    case 2: (outcome, isApplied) = (.unknown, Bool.random(using: &random))
    default: (outcome, isApplied) = (.committed, true)
    }
    let before = state
    var operations: [History.Operation] = []
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      operations += randomOperations(on: firstKey + Int.random(in: 0..<Self.keyCount, using: &random))
    }
    // The reads of a killed process are unknown.
    if outcome == .unknown { operations.removeAll { !$0.isWrite } }
    if !isApplied { state = before }
    let lanes = Set((0..<Int.random(in: 0...2, using: &random)).map { _ in Int.random(in: 0..<3, using: &random) })
    record(call(outcome, lanes: Array(lanes)), operations)
    if isApplied { observe(operations) }
  }

  private mutating func randomOperations(on key: Int) -> [History.Operation] {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: [read(key)]
    case 1 where key.isMultiple(of: 2): [write(key)]
    case 2: [read(key), write(key), read(key)]
    default: [read(key), write(key)]
    }
  }

  private mutating func observe(_ operations: [History.Operation]) {
    for key in Set(operations.filter(\.isWrite).map(\.key)).sorted() where key < firstKey + 2 { observe(key, at: now) }
  }

  // MARK: Parts of steps

  /// Returns the next unused value.
  mutating func newValue() -> Int {
    nextValue += 1
    return nextValue - 1
  }

  /// Returns a read of the current state.
  func read(_ key: Int) -> History.Operation {
    switch state[key] {
    case .list(let list): .readList(key: key, elements: list)
    case .register(let value): .readRegister(key: key, value: value)
    case nil: key.isMultiple(of: 2) ? .readList(key: key, elements: []) : .readRegister(key: key, value: nil)
    }
  }

  /// Writes a new value to a register or the end of a list.
  mutating func write(_ key: Int) -> History.Operation {
    let value = newValue()
    if key.isMultiple(of: 2) {
      state[key] = .list(list(key) + [value])
      return .append(key: key, value: value)
    }
    state[key] = .register(value)
    return .write(key: key, value: value)
  }

  func list(_ key: Int) -> [Int] {
    if case .list(let list) = state[key] { list } else { [] }
  }

  mutating func set(_ key: Int, _ value: Value) { state[key] = value }

  mutating func withState(_ other: [Int: Value], _ body: (inout Simulator) -> Void) {
    let kept = state
    state = other
    body(&self)
    state = kept
  }

  /// Returns a call around an instant that is later than the last call's. With `isWide` it overlaps its neighbors.
  mutating func call(
    _ outcome: History.Outcome = .committed, lanes: [Int] = [], process: Int? = nil, isWide: Bool = true
  ) -> History.Call {
    now += 10
    let before = isWide ? UInt64.random(in: 1...60, using: &random) : 1
    let after = isWide ? UInt64.random(in: 1...60, using: &random) : 1
    return History.Call(
      process: process ?? Int.random(in: 0...1, using: &random), invoked: now - before, queued: now,
      completed: outcome == .unknown ? History.never : now + after, outcome: outcome, lanes: lanes)
  }

  mutating func record(_ call: History.Call, _ operations: [History.Operation]) { calls.append((call, operations)) }

  /// Notifies the observer of a key of its state.
  mutating func observe(_ key: Int, at time: UInt64) {
    observations.append(.init(observer: 7, process: 9, time: time, state: read(key)))
  }
}

extension History.Operation {
  var isWrite: Bool {
    switch self {
    case .append, .write: true
    case .readList, .readRegister: false
    }
  }

  var key: Int {
    switch self {
    case .append(let key, _), .write(let key, _), .readList(let key, _), .readRegister(let key, _): key
    }
  }
}
