import Foundation
import TortureModel

/// Compares the whole API with a model. Each round is a random program on workspaces in one to four processes, and
/// every answer is compared with a plain model's.
struct ModelMachine: Machine {
  static let name = "model"
  static let summary = "Random programs over the whole API, in one to four processes, against a plain model"
  static let unit = "steps"
  static let share = 12.0
  static let goal = 1_000_000
  // A program that hangs is shrunk before it is reported.
  static let roundLimit = 240.0

  private let runner: ProgramRunner

  init(environment: TortureEnvironment) throws {
    let memory = "/dev/shm"
    let isThere = FileManager.default.isWritableFile(atPath: memory)
    runner = try ProgramRunner(
      executable: URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0]),
      arguments: ["--model-worker"], folder: isThere ? memory : environment.folder)
  }

  mutating func round(seed: UInt64) throws -> Int {
    do { return try ModelRound.run(seed: seed, on: runner) } catch let failed as ModelRound.Failed {
      throw Finding(failed.message, case: failed.printed)
    }
  }
}
