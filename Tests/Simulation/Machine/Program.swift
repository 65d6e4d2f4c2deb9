import SimulatedRuntime

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

  /// The threads on which transactions' closures run.
  enum Target: CustomStringConvertible {
    case threads, serialQueue, concurrentQueue

    var description: String {
      switch self {
      case .threads: ""
      case .serialQueue: ", on a serial queue"
      case .concurrentQueue: ", on a concurrent queue"
      }
    }
  }

  var workspaces: Int
  var isSerial: Bool
  /// Number of entries that the cache keeps; 0 for all.
  var cacheEntries: Int
  var target: Target
  var actors: [Actor]
  var schedule: ScheduleOptions
  /// Nil if all workspaces are on one file, and no replicas.
  var replication: Replication?

  init(seed: UInt64, withFaults: Bool = true, isReplicated: Bool = false) {
    var random = SplitMix(seed)
    workspaces = random.oneIn(2) ? 2 : 1
    isSerial = random.oneIn(8)
    cacheEntries = random.oneIn(3) ? 1 : 0
    target = [.threads, .threads, .threads, .serialQueue, .concurrentQueue][random.below(5)]
    let strategy: Strategy =
      switch random.below(6) {
      case 0: .randomWalk(oneIn: 2)
      case 1: .randomWalk(oneIn: 8)
      case 2: .randomWalk(oneIn: 40)
      case 3: .priorities(changes: 2)
      case 4: .priorities(changes: 5)
      default: .priorities(changes: 12)
      }
    let faults = withFaults && random.oneIn(6) ? [40, 200][random.below(2)] : 0
    schedule = ScheduleOptions(
      strategy: strategy, poolLimit: [2, 3, 4, 8][random.below(4)],
      stepNanoseconds: [0, 100, 2_000, 40_000][random.below(4)],
      stallOneIn: random.oneIn(2) ? [200, 1_000][random.below(2)] : 0, faultOneIn: faults,
      followingFaultOneIn: withFaults && faults == 0 && random.oneIn(3) ? [2, 5, 20][random.below(3)] : 0)
    let count = 2 + random.below(5)
    let length = 3 + random.below(10)
    let shutsDown = random.oneIn(4)
    let choice = StepChoice(&random, threads: count)
    actors = []
    for number in 0..<count {
      let workspace = number == 0 ? 0 : random.below(workspaces)
      actors.append(
        Actor(
          number: number, workspace: workspace,
          steps: (0..<1 + random.below(length)).map { _ in choice.next(&random) }))
    }
    if shutsDown {
      let actor = random.below(count)
      let index = random.below(actors[actor].steps.count + 1)
      actors[actor].steps.insert(.shutdown(blocking: random.oneIn(2)), at: index)
    }
    if isReplicated { replicate(&random, withFaults: withFaults) }
  }

  /// Spreads the threads over replicas, and gives them steps of their own.
  private mutating func replicate(_ random: inout SplitMix, withFaults: Bool) {
    let replication = Replication(&random, withFaults: withFaults)
    self.replication = replication
    workspaces = replication.files.count
    (schedule.faultOneIn, schedule.followingFaultOneIn) = (0, 0)
    for index in actors.indices {
      actors[index].workspace = index < workspaces ? index : random.below(workspaces)
      var reopens = false
      for _ in 0..<random.below(3) {
        let step = ReplicaStep(&random, withFaults: replication.hasFaults)
        // A thread has one place for the workspace that it opens.
        if case .reopen = step {
          if reopens { continue }
          reopens = true
        }
        actors[index].steps.insert(.replica(step), at: random.below(actors[index].steps.count + 1))
      }
    }
  }

  /// The number of workspaces that may be opened: each thread opens one at most.
  var places: Int { replication == nil ? workspaces : workspaces + 8 }

  /// A program that does everything once, in threads that aren't interrupted.
  static var ofEverything: Program {
    var random = SplitMix(1)
    var program = Program(seed: 1, withFaults: false)
    program.workspaces = 2
    program.isSerial = false
    program.target = .threads
    program.schedule.strategy = .randomWalk(oneIn: 1 << 40)
    program.schedule.poolLimit = 256
    program.actors = (0..<2).map { Actor(number: $0, workspace: $0, steps: StepChoice.oneOfEach(&random)) }
    return program
  }

  /// The same on replicas.
  static var ofEverythingReplicated: Program {
    var program = ofEverything
    let replication = Replication.calm
    program.replication = replication
    program.workspaces = replication.files.count
    for index in program.actors.indices {
      let steps: [ReplicaStep] = [.catchUp, .cutOff(milliseconds: 1, endsTurn: true), .expireTurn, .reopen, .catchUp]
      program.actors[index].steps += steps.map { .replica($0) }
    }
    return program
  }

  /// Returns the program with only the kept steps. Steps are numbered across all threads.
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

  var usesObjects: Bool {
    actors.contains { actor in
      actor.steps.contains { step in
        switch step {
        case .changeObjects, .readObjects, .snapshotOfObjects, .observeObjects, .refuse: true
        default: false
        }
      }
    }
  }

  func description(with kept: Set<Int>?) -> String {
    var lines = [
      "\(workspaces) workspace\(workspaces == 1 ? "" : "s")\(isSerial ? ", serial" : "")\(target)"
        + (cacheEntries > 0 ? ", cache of \(cacheEntries) entries" : "")
        + ", \(schedule.poolLimit) pool threads, \(schedule.strategy), steps of up to \(schedule.stepNanoseconds) ns"
        + (schedule.stallOneIn > 0 ? ", a stall in \(schedule.stallOneIn) points" : "")
        + (schedule.faultOneIn > 0 ? ", a fault in \(schedule.faultOneIn) file operations" : "")
        + (replication.map { ", \($0)" } ?? "")
        + (schedule.followingFaultOneIn > 0 ? ", a fault in \(schedule.followingFaultOneIn) reads of the watch" : "")
    ]
    for actor in keeping(kept).actors {
      lines.append(
        "  thread \(actor.number) on workspace \(actor.workspace): \(actor.steps.map(\.description).joined(separator: ", "))"
      )
    }
    return lines.joined(separator: "\n")
  }
}
