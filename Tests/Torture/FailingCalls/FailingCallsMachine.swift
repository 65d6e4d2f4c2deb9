import CFaultVFS
import DflatKV
import Foundation
import TestSupport

/// Makes what SQLite asks of the system fail, once or from some call on, and looks at everything afterwards (A1, A2, A7).
struct FailingCallsMachine: Machine {
  static let name = "failing-calls"
  static let summary = "Fails the n-th file operation or allocation, fills a real disk, takes all descriptors"
  static let unit = "points"
  static let share = 7.5
  static let goal = 20_000
  static let counted = ["file operations", "allocations", "descriptors"] + FailureScenario.allCases.map(\.rawValue)

  private static let secondsOfRound = 1.5
  private let environment: TortureEnvironment
  /// A small disk, if this process may mount one.
  private let disk: SmallDisk?

  init(environment: TortureEnvironment) throws {
    guard faultvfs_install_allocator() == FAULTVFS_CODE_OK else { throw Skipped("SQLite refuses the allocator") }
    self.environment = environment
    disk = SmallDisk(at: environment.folder + "-disk")
    if disk == nil { environment.note("no small disk can be mounted here: full disks are simulated alone") }
  }

  /// One scenario under one kind of failure, at each of its operations, or at as many as there is time for.
  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let scenario = FailureScenario.allCases.randomElement(using: &random) ?? .transaction
    // What lasts fails the COMMIT too, whatever the closure made of an error before.
    let lasts = scenario != .heedlessClosure && Bool.random(using: &random)
    let scarcity = Scarcity(using: &random, hasDisk: disk != nil, lasts: lasts)
    let synchronous: SQLiteWorkspace.Synchronous = Bool.random(using: &random) ? .full : .normal
    let folder = if case .disk = scarcity, let disk { disk.path } else { environment.folder }
    let end = ContinuousClock.now + .seconds(Self.secondsOfRound)
    var points = 0
    var number = 0
    do {
      let bench = try FailureBench(folder: folder, scenario, synchronous)
      let count = try scarcity.dryRun(in: bench.directory) { bench.perform() }
      try bench.check()
      for next in (1...max(count, 1)).shuffled(using: &random).prefix(200) where ContinuousClock.now < end {
        number = next
        let bench = try FailureBench(folder: folder, scenario, synchronous)
        let (_, failures) = try scarcity.during(next, lasts: lasts, in: bench.directory) { bench.perform() }
        try bench.check()
        if failures > 0 { points += 1 }
      }
    } catch {
      throw Finding(
        (error as? Finding)?.message ?? "\(error)",
        case: "\(scenario), \(synchronous), under \(scarcity), \(number)\(lasts ? " and all after it" : "")")
    }
    if points > 0 {
      environment.count(scarcity.kind, times: points)
      environment.count(scenario.rawValue, times: points)
    }
    return points
  }
}
