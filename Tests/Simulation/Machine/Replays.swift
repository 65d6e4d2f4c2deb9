import SimulatedRuntime

/// Checks that a schedule follows from its seed: one that runs alone in a process equals the same one among many.
struct Replays {
  private var random: SplitMix

  init(first: UInt64) { random = SplitMix(first) }

  /// Runs random seeds both ways.
  func run(_ count: UInt64, _ command: Command) -> Bool {
    var random = random
    let seeds = (0..<count).map { _ in random.next() >> 24 }
    let together = WorkerProcess()
    let outcomes = seeds.map { Self.outcome(of: $0, command, by: together) }
    let different = zip(seeds, outcomes).filter { $0.1 != Self.outcome(of: $0.0, command, by: WorkerProcess()) }
    for (seed, _) in different { print("seed \(seed): another schedule when it is run alone") }
    print("simulation: \(count) seeds alone and together, \(different.count) differ")
    return different.isEmpty
  }

  /// Returns the complete output of a seed's schedule, which identifies it.
  static func outcome(of seed: UInt64, _ command: Command, by worker: WorkerProcess) -> [String] {
    var command = command
    command.firstSeed = seed
    command.flags.insert(.quiet)
    return worker.run(command)
  }
}
