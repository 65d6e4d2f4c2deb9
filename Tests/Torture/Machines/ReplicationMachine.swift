import Foundation
import TestSupport

/// Runs schedules of simulated machines that share a cluster.
struct ReplicationMachine: Machine {
  static let name = "replication"
  static let summary = "Replicas of one workspace, and a cluster that fails, on the simulated executor, clock and file"
  static let unit = "schedules"
  static let share = 22.0
  static let goal = 50_000
  static let roundLimit = 300.0

  private let program: SimulationProgram

  init(environment: TortureEnvironment) throws { program = try SimulationProgram() }

  func round(seed: UInt64) throws -> Int { try program.run(100, ["--replicated"], round: seed) }
}
