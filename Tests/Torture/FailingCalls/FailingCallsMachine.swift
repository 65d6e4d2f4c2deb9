import CFaultVFS
import DflatKV
import Foundation
import TestSupport

/// Makes SQLite's system calls and allocations fail, once or from some call on, and checks everything afterwards (A1,
/// A2, A7).
struct FailingCallsMachine: Machine {
  static let name = "failing-calls"
  static let summary = "Fails the n-th file operation or allocation, fills a real disk, takes all descriptors"
  static let unit = "points"
  static let share = 9.0
  static let goal = 20_000
  static let counted = ["file operations", "allocations", "descriptors"] + FailureScenario.allCases.map(\.rawValue)

  private static let secondsOfRound = 1.5
  private let environment: TortureEnvironment
  /// A small disk, or nil if this process may not mount one.
  private let disk: SmallDisk?

  init(environment: TortureEnvironment) throws {
    guard faultvfs_install_allocator() == FAULTVFS_CODE_OK else { throw Skipped("SQLite refuses the allocator") }
    self.environment = environment
    disk = SmallDisk(at: environment.folder + "-disk")
    if disk == nil { environment.note("no small disk can be mounted here: full disks are simulated alone") }
  }

  /// Runs one scenario under one kind of failure, at each of its operations, or at as many as there is time for.
  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let scenario = FailureScenario.allCases.randomElement(using: &random) ?? .transaction
    // A failure that lasts also fails the COMMIT, however the closure handled an earlier error.
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
