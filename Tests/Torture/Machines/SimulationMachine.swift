import Foundation
import TestSupport

/// Runs schedules of simulated threads, some hundred in a round. `scripts/torture.sh` builds the program that runs
/// them.
struct SimulationMachine: Machine {
  static let name = "simulation"
  static let summary = "Pipeline, publication, catch-up, readers and delivery on a simulated executor, clock and file"
  static let unit = "schedules"
  static let share = 22.0
  static let goal = 100_000
  static let roundLimit = 300.0

  private static let schedules = 250
  private let program: URL

  init(environment: TortureEnvironment) throws {
    guard let program = ProcessInfo.processInfo.environment["DFLAT_SIMULATION"] else {
      throw Skipped("the simulation is not built: DFLAT_SIMULATION is not set")
    }
    self.program = URL(fileURLWithPath: program)
  }

  func round(seed: UInt64) throws -> Int {
    let child = try ChildProcess(
      program, ["--first", "\(seed % (1 << 40) &* 1_000)", "--schedules", "\(Self.schedules)", "--jobs", "1"])
    child.closeInput()
    // While it shrinks a failure it prints nothing.
    let lines = try child.remainingLines(within: 600)
    let ending = try child.wait()
    guard ending == .exit(0) else {
      throw Finding(
        lines.first { $0.hasPrefix("seed ") } ?? "The simulation ended by \(ending).",
        case: lines.joined(separator: "\n") + child.wholeStandardError())
    }
    return Self.schedules
  }
}
