import Foundation
import TestSupport

/// The program of the simulated machine, which `scripts/torture.sh` builds.
struct SimulationProgram {
  private let file: URL

  /// - Throws: `Skipped` if it isn't built.
  init() throws {
    guard let path = ProcessInfo.processInfo.environment["DFLAT_SIMULATION"] else {
      throw Skipped("the simulation is not built: DFLAT_SIMULATION is not set")
    }
    file = URL(fileURLWithPath: path)
  }

  /// Runs that many schedules of a round. Returns their number, or throws a `Finding` with the shrunk program.
  func run(_ schedules: Int, _ arguments: [String] = [], round seed: UInt64) throws -> Int {
    let child = try ChildProcess(
      file, ["--first", "\(seed % (1 << 40) &* 1_000)", "--schedules", "\(schedules)", "--jobs", "1"] + arguments)
    child.closeInput()
    // While it shrinks a failure it prints nothing.
    let lines = try child.remainingLines(within: 600)
    let ending = try child.wait()
    guard ending == .exit(0) else {
      throw Finding(
        lines.first { $0.hasPrefix("seed ") } ?? "The simulation ended by \(ending).",
        case: lines.joined(separator: "\n") + child.wholeStandardError())
    }
    return schedules
  }
}
