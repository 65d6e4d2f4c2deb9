import SimulatedRuntime

/// What one simulated thread does, step by step.
enum Step: CustomStringConvertible {
  /// Reads a counter in a transaction and stores one more.
  case increment(counter: Int, by: Way, lanes: [Int], sizes: Int)
  /// Stores one number under two keys in a transaction.
  case pair(by: Way)
  /// Writes a key of the thread's own without a transaction; nil removes it.
  case write(key: Int, long: Bool)
  case remove(key: Int)
  /// Writes a key of the thread's own in a transaction.
  case writeInTransaction(key: Int)
  case readOwn(key: Int)
  case readCounter(Int)
  case readPair
  case snapshot(counter: Int)
  case abort(counter: Int)
  /// Reads an object in a transaction, stores it with one more, and the same number under a key.
  case incrementObject(Int, by: Way, aborts: Bool)
  case readObject(Int)
  case snapshotOfObject(Int)
  case subscribeToObjects
  case synchronize
  /// Asks for so many flushes and waits for none.
  case flushes(Int)
  case subscribe(counter: Int)
  case cancel
  case checkpoint
  case compact
  case pause(microseconds: Int)
  case shutdown(blocking: Bool)

  enum Way: String { case perform, wait, async }

  var description: String {
    switch self {
    case .increment(let counter, let way, let lanes, let size):
      "increment(\(counter), by: \(way), lanes: \(lanes), size: \(size))"
    case .pair(let way): "pair(by: \(way))"
    case .write(let key, let long): "write(\(key)\(long ? ", long" : ""))"
    case .remove(let key): "remove(\(key))"
    case .writeInTransaction(let key): "writeInTransaction(\(key))"
    case .readOwn(let key): "readOwn(\(key))"
    case .readCounter(let counter): "readCounter(\(counter))"
    case .readPair: "readPair"
    case .snapshot(let counter): "snapshot(\(counter))"
    case .abort(let counter): "abort(\(counter))"
    case .incrementObject(let object, let way, let aborts):
      "incrementObject(\(object), by: \(way)\(aborts ? ", aborts" : ""))"
    case .readObject(let object): "readObject(\(object))"
    case .snapshotOfObject(let object): "snapshotOfObject(\(object))"
    case .subscribeToObjects: "subscribeToObjects"
    case .synchronize: "synchronize"
    case .flushes(let count): "flushes(\(count))"
    case .subscribe(let counter): "subscribe(\(counter))"
    case .cancel: "cancel"
    case .checkpoint: "checkpoint"
    case .compact: "compact"
    case .pause(let time): "pause(\(time) µs)"
    case .shutdown(let blocking): "shutdown(\(blocking ? "blocking" : "in the background"))"
    }
  }
}

/// A thread of the program, on one of its workspaces.
struct Actor {
  var number: Int
  var workspace: Int
  var steps: [Step]
}

/// A program that a seed determines.
struct Program {
  static let counters = 3
  static let ownKeys = 3
  static let laneCount = 4
  static let objects = 2

  var workspaces: Int
  var isSerial: Bool
  /// Entries that the cache keeps; 0 for all.
  var cacheEntries: Int
  var actors: [Actor]
  var schedule: ScheduleOptions

  init(seed: UInt64, withFaults: Bool = true) {
    var random = SplitMix(seed)
    workspaces = random.oneIn(3) ? 2 : 1
    isSerial = random.oneIn(8)
    cacheEntries = random.oneIn(3) ? 1 : 0
    let strategy: Strategy =
      switch random.below(6) {
      case 0: .randomWalk(oneIn: 2)
      case 1: .randomWalk(oneIn: 8)
      case 2: .randomWalk(oneIn: 40)
      case 3: .priorities(changes: 2)
      case 4: .priorities(changes: 5)
      default: .priorities(changes: 12)
      }
    schedule = ScheduleOptions(
      strategy: strategy, poolLimit: [2, 3, 4, 8][random.below(4)],
      stepNanoseconds: [0, 100, 2_000, 40_000][random.below(4)],
      stallOneIn: random.oneIn(2) ? [200, 1_000][random.below(2)] : 0,
      faultOneIn: withFaults && random.oneIn(6) ? [40, 200][random.below(2)] : 0)
    let count = 2 + random.below(4)
    let length = 3 + random.below(8)
    let shutsDown = random.oneIn(4)
    let flushes = random.oneIn(4)
    // Few counters are in each other's way more often.
    let used = 1 + random.below(Self.counters)
    actors = []
    for number in 0..<count {
      let workspace = number == 0 ? 0 : random.below(workspaces)
      actors.append(
        Actor(
          number: number, workspace: workspace,
          steps: (0..<1 + random.below(length)).map { _ in Self.step(&random, flushes: flushes, counters: used) }))
    }
    if shutsDown {
      let actor = random.below(count)
      let index = random.below(actors[actor].steps.count + 1)
      actors[actor].steps.insert(.shutdown(blocking: random.oneIn(2)), at: index)
    }
  }

  private static func step(_ random: inout SplitMix, flushes: Bool, counters: Int) -> Step {
    let counter = random.below(counters)
    func way() -> Step.Way { [.perform, .wait, .async][random.below(3)] }
    func lanes() -> [Int] { (0..<random.below(3)).map { _ in random.below(laneCount) } }
    switch random.below(38) {
    case 0..<7: return .increment(counter: counter, by: way(), lanes: lanes(), sizes: [0, 0, 0, 600][random.below(4)])
    case 7, 8: return .pair(by: way())
    case 9..<12: return .write(key: random.below(ownKeys), long: random.oneIn(4))
    case 12: return .remove(key: random.below(ownKeys))
    case 13: return .writeInTransaction(key: random.below(ownKeys))
    case 14, 15: return .readOwn(key: random.below(ownKeys))
    case 16, 17: return .readCounter(counter)
    case 18: return .readPair
    case 19, 20: return .snapshot(counter: counter)
    case 21: return .abort(counter: counter)
    case 22: return .synchronize
    case 23: return .flushes(flushes ? 1 + random.below(12) : 1)
    case 24, 25: return .subscribe(counter: counter)
    case 26: return .cancel
    case 27: return random.oneIn(3) ? .compact : .checkpoint
    case 28: return .pause(microseconds: [10, 300, 3_000, 30_000][random.below(4)])
    case 29: return .readCounter(counter)
    case 30..<34: return .incrementObject(random.below(objects), by: way(), aborts: random.oneIn(5))
    case 34: return .readObject(random.below(objects))
    case 35, 36: return .snapshotOfObject(random.below(objects))
    default: return .subscribeToObjects
    }
  }

  /// The program without the steps that are not kept, numbered through all threads.
  func keeping(_ kept: Set<Int>?) -> Program {
    guard let kept else { return self }
    var result = self
    var number = 0
    for index in result.actors.indices {
      result.actors[index].steps = result.actors[index].steps.filter { _ in
        defer { number += 1 }
        return kept.contains(number)
      }
    }
    result.actors.removeAll { $0.steps.isEmpty }
    return result
  }

  var stepCount: Int { actors.reduce(0) { $0 + $1.steps.count } }

  func description(with kept: Set<Int>?) -> String {
    var lines = [
      "\(workspaces) workspace\(workspaces == 1 ? "" : "s")\(isSerial ? ", serial" : "")"
        + (cacheEntries > 0 ? ", cache of \(cacheEntries) entries" : "")
        + ", \(schedule.poolLimit) pool threads, \(schedule.strategy), steps of up to \(schedule.stepNanoseconds) ns"
        + (schedule.stallOneIn > 0 ? ", a stall in \(schedule.stallOneIn) points" : "")
        + (schedule.faultOneIn > 0 ? ", a fault in \(schedule.faultOneIn) file operations" : "")
    ]
    for actor in keeping(kept).actors {
      lines.append(
        "  thread \(actor.number) on workspace \(actor.workspace): \(actor.steps.map(\.description).joined(separator: ", "))"
      )
    }
    return lines.joined(separator: "\n")
  }
}
