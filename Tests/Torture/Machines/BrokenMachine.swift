import Foundation

/// Fails in each of the ways in which a machine can fail, selected by the seed. The driver's tests run it.
struct BrokenMachine: Machine {
  static let name = "broken"
  static let summary = "Tests the driver: fails in the way that the seed selects"
  static let unit = "rounds"
  static let share = 0.0
  static let goal = 0
  static let roundLimit = 2.0

  private let environment: TortureEnvironment
  private var rounds = 0

  init(environment: TortureEnvironment) throws { self.environment = environment }

  private struct Unforeseen: Error {}

  mutating func round(seed: UInt64) throws -> Int {
    rounds += 1
    let directory = try environment.directory("broken")
    try Data("kept".utf8).write(to: URL(fileURLWithPath: directory.file("file")))
    switch seed {
    case 1:
      let numbers = shrunk(Array(0..<100)) { $0.contains(17) && $0.contains(71) }
      throw Finding("Two numbers are found.", case: "\(numbers)")
    case 2: throw Unforeseen()
    case 3: fatalError("a trap")
    case 4: while true { sleep(60) }
    case 5: throw Skipped("the seed says so")
    default: return 2
    }
  }

  mutating func finish() throws -> Int { rounds }
}
