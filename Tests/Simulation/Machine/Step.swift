import SimulatedRuntime

/// One step of a simulated thread.
enum Step: CustomStringConvertible {
  // Counters: a transaction reads one and stores the next number.
  case increment(counter: Int, by: Way, lanes: [Int], sizes: Int)
  case readCounter(Int)
  case snapshot(counter: Int)
  case subscribe(counter: Int, cancelsItself: Bool)
  /// Transactions that must leave nothing: they are aborted, or something in them fails.
  case abort(counter: Int, by: Way)
  case refuse(Refusal, by: Way)
  /// A transaction that stores the existing values.
  case changeNothing(by: Way)

  /// A transaction that stores one number under keys of several shards.
  case pair(by: Way)
  case readPair(times: Int)

  // The thread's own keys, written without a transaction; long or short.
  case write(key: Int, long: Bool)
  case remove(key: Int)
  case writeInTransaction(key: Int)
  case readOwn(key: Int)
  case readOwnKeys
  /// A plain write of one key, then a transaction that sets it and another one.
  case mix(by: Way)
  case readMixed(thread: Int)

  // A set of keys, whose number and values follow from the number of the transaction that wrote it.
  case rewriteSet(by: Way, long: Bool)
  case readSet
  case observeSet(byPrefix: Bool)

  // Objects: each transaction makes the next state of a sequence.
  case changeObjects(ObjectChange, by: Way, aborts: Bool)
  case readObjects(ObjectQuery)
  case snapshotOfObjects(ObjectQuery)
  case observeObjects(ObjectQuery)

  case synchronize
  /// Checks for the other workspace's commits. Observers have received them soon after.
  case follow
  /// Requests that many flushes and waits for none.
  case flushes(Int)
  case cancel
  /// Cancels on the delivery queue.
  case cancelInCompletion
  case checkpoint
  case compact
  case pause(microseconds: Int)
  case shutdown(blocking: Bool)
  case replica(ReplicaStep)

  enum Way: String { case perform, wait, async }
  /// A refused change: a value that can't be encoded, a second object with the same primary key, or a change of many
  /// objects.
  enum Refusal: String, CaseIterable { case value, submission, bulk }

  var description: String {
    switch self {
    case .increment(let counter, let way, let lanes, let size):
      "increment(\(counter), by: \(way), lanes: \(lanes), size: \(size))"
    case .readCounter(let counter): "readCounter(\(counter))"
    case .snapshot(let counter): "snapshot(\(counter))"
    case .subscribe(let counter, let cancels): "subscribe(\(counter)\(cancels ? ", cancels itself" : ""))"
    case .abort(let counter, let way): "abort(\(counter), by: \(way))"
    case .refuse(let what, let way): "refuse(\(what), by: \(way))"
    case .changeNothing(let way): "changeNothing(by: \(way))"
    case .pair(let way): "pair(by: \(way))"
    case .readPair(let times): "readPair(\(times) times)"
    case .write(let key, let long): "write(\(key)\(long ? ", long" : ""))"
    case .remove(let key): "remove(\(key))"
    case .writeInTransaction(let key): "writeInTransaction(\(key))"
    case .readOwn(let key): "readOwn(\(key))"
    case .readOwnKeys: "readOwnKeys"
    case .mix(let way): "mix(by: \(way))"
    case .readMixed(let thread): "readMixed(\(thread))"
    case .rewriteSet(let way, let long): "rewriteSet(by: \(way)\(long ? ", long" : ""))"
    case .readSet: "readSet"
    case .observeSet(let byPrefix): "observeSet(\(byPrefix ? "by prefix" : "by key"))"
    case .changeObjects(let change, let way, let aborts):
      "changeObjects(\(change), by: \(way)\(aborts ? ", aborts" : ""))"
    case .readObjects(let query): "readObjects(\(query))"
    case .snapshotOfObjects(let query): "snapshotOfObjects(\(query))"
    case .observeObjects(let query): "observeObjects(\(query))"
    case .synchronize: "synchronize"
    case .follow: "follow"
    case .flushes(let count): "flushes(\(count))"
    case .cancel: "cancel"
    case .cancelInCompletion: "cancelInCompletion"
    case .checkpoint: "checkpoint"
    case .compact: "compact"
    case .pause(let time): "pause(\(time) µs)"
    case .replica(let step): step.description
    case .shutdown(let blocking): "shutdown(\(blocking ? "blocking" : "in the background"))"
    }
  }
}

/// The kinds of steps with their frequencies. Each program takes some kinds more often and others not at all, which
/// reaches cases that need many steps of one kind (swarm testing, Groce et al. 2012).
struct StepChoice {
  private typealias Kind = (family: Family, weight: Int, make: @Sendable (inout SplitMix, StepChoice) -> Step)

  /// The subjects of steps. Some programs use only one or two of them, so that their threads meet.
  private enum Family: CaseIterable { case counters, pairs, ownKeys, sets, objects, any }

  private let kinds: [Kind]
  private let total: Int
  /// With few counters, threads conflict more often.
  private let counters: Int
  private let threads: Int

  init(_ random: inout SplitMix, threads: Int) {
    let counters = 1 + random.below(Program.counters)
    var kinds: [Kind] = []
    let families = (0..<2).map { _ in Family.allCases[random.below(Family.allCases.count - 1)] } + [.any]
    let isFocused = random.oneIn(2)
    for kind in Self.all {
      if isFocused, !families.contains(kind.family) { continue }
      let weight = kind.weight * [0, 1, 1, 4][random.below(4)]
      if weight > 0 { kinds.append((kind.family, weight, kind.make)) }
    }
    if kinds.isEmpty { kinds = Self.all }
    self.kinds = kinds
    self.counters = counters
    self.threads = threads
    total = kinds.reduce(0) { $0 + $1.weight }
  }

  func next(_ random: inout SplitMix) -> Step {
    var place = random.below(total)
    for kind in kinds {
      if place < kind.weight { return kind.make(&random, self) }
      place -= kind.weight
    }
    preconditionFailure("A kind of steps has been chosen.")
  }

  /// Returns one step of each kind.
  static func oneOfEach(_ random: inout SplitMix) -> [Step] {
    let choice = StepChoice(&random, threads: 1)
    return all.map { $0.make(&random, choice) }
  }

  private static func way(_ random: inout SplitMix) -> Step.Way { [.perform, .wait, .async][random.below(3)] }

  private static let all: [Kind] = [
    (
      .counters, 7,
      { random, choice in
        let lanes = (0..<random.below(3)).map { _ in random.below(Program.laneCount) }
        return .increment(
          counter: random.below(choice.counters), by: way(&random), lanes: lanes,
          sizes: [0, 0, 0, 600][random.below(4)])
      }
    ),
    (.counters, 3, { random, choice in .readCounter(random.below(choice.counters)) }),
    (.counters, 2, { random, choice in .snapshot(counter: random.below(choice.counters)) }),
    (
      .counters, 2,
      { random, choice in .subscribe(counter: random.below(choice.counters), cancelsItself: random.oneIn(6)) }
    ),
    (.counters, 1, { random, choice in .abort(counter: random.below(choice.counters), by: way(&random)) }),
    (.any, 1, { random, _ in .refuse(Step.Refusal.allCases[random.below(3)], by: way(&random)) }),
    (.any, 1, { random, _ in .changeNothing(by: way(&random)) }),
    (.pairs, 3, { random, _ in .pair(by: way(&random)) }),
    (.pairs, 2, { random, _ in .readPair(times: [1, 4, 30][random.below(3)]) }),
    (.ownKeys, 3, { random, _ in .write(key: random.below(Program.ownKeys), long: random.oneIn(4)) }),
    (.ownKeys, 1, { random, _ in .remove(key: random.below(Program.ownKeys)) }),
    (.ownKeys, 1, { random, _ in .writeInTransaction(key: random.below(Program.ownKeys)) }),
    (.ownKeys, 2, { random, _ in .readOwn(key: random.below(Program.ownKeys)) }),
    (.ownKeys, 1, { _, _ in .readOwnKeys }),
    (.ownKeys, 2, { random, _ in .mix(by: way(&random)) }),
    (.ownKeys, 2, { random, choice in .readMixed(thread: random.below(choice.threads)) }),
    (.sets, 3, { random, _ in .rewriteSet(by: way(&random), long: random.oneIn(2)) }),
    (.sets, 2, { _, _ in .readSet }),
    (.sets, 1, { random, _ in .observeSet(byPrefix: random.oneIn(2)) }),
    (
      .objects, 6,
      { random, _ in
        .changeObjects(ObjectChange(&random), by: way(&random), aborts: random.oneIn(4))
      }
    ),
    (.objects, 2, { random, _ in .readObjects(ObjectQuery.allCases[random.below(ObjectQuery.allCases.count)]) }),
    (.objects, 2, { random, _ in .snapshotOfObjects(ObjectQuery.allCases[random.below(ObjectQuery.allCases.count)]) }),
    (.objects, 2, { random, _ in .observeObjects(ObjectQuery.allCases[random.below(ObjectQuery.allCases.count)]) }),
    (.any, 1, { _, _ in .synchronize }),
    (.any, 2, { _, _ in .follow }),
    (.any, 1, { random, _ in .flushes([1, 1, 6, 12][random.below(4)]) }),
    (.any, 1, { _, _ in .cancel }),
    (.any, 1, { _, _ in .cancelInCompletion }),
    (.any, 1, { random, _ in random.oneIn(3) ? .compact : .checkpoint }),
    (.any, 1, { random, _ in .pause(microseconds: [10, 300, 3_000, 30_000][random.below(4)]) }),
  ]
}
