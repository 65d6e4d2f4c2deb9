import Foundation
import TestSupport

/// Runs schedules of simulated threads, some hundred in a round.
struct SimulationMachine: Machine {
  static let name = "simulation"
  static let summary = "Pipeline, publication, catch-up, readers and delivery on a simulated executor, clock and file"
  static let unit = "schedules"
  static let share = 22.0
  static let goal = 100_000
  static let roundLimit = 300.0

  private let program: SimulationProgram

  init(environment: TortureEnvironment) throws { program = try SimulationProgram() }

  func round(seed: UInt64) throws -> Int { try program.run(250, round: seed) }
}
