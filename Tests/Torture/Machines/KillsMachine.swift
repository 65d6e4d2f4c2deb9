import DflatCore
import Foundation
import TestSupport

/// Kills processes that write, and opens the files that they leave (A10).
struct KillsMachine: Machine {
  static let name = "kills"
  static let summary = "Kills writing processes at random, at failpoints, and at any operation on the file"
  static let unit = "kills"
  static let share = 5.0
  static let goal = 3_000
  static let counted = [atRandom] + failpoints + steps

  private static let killsPerRound = 4
  private static let atRandom = "any instant"
  #if DEBUG
    private static let failpoints = Failpoint.allCases.filter { $0 != .appendedBeforeCommit }.map(\.rawValue)
  #else
    private static let failpoints: [String] = []
  #endif
  /// Steps in which a process kills itself between two operations on the file: see `KillSteps` of `StressWorker`.
  private static let steps = [
    "first open", "open", "recovery", "commit", "checkpoint", "vacuum", "filling", "closing", "other operation",
  ]

  private let environment: TortureEnvironment

  init(environment: TortureEnvironment) throws { self.environment = environment }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let isKeptOpen = Bool.random(using: &random)
    let hasMembers = Int.random(in: 0..<3, using: &random) == 0
    let file = try KilledFile(in: environment.directory("killed"), isKeptOpen: isKeptOpen, hasMembers: hasMembers)
    var log = ["kept open \(isKeptOpen), with members \(hasMembers)"]
    var isUnchecked = false
    for kill in 1...Self.killsPerRound {
      let plan = Self.plan(isFirst: kill == 1, isUnchecked, file, hasMembers: hasMembers, &random)
      if hasMembers, !isKeptOpen, !isUnchecked, Bool.random(using: &random) {
        try MemberFile.forgetIndexes(at: file.path)
        log.append("indexes forgotten")
      }
      log.append("\(plan.payload) \(plan.arguments.joined(separator: " ")), killed after \(plan.lines) lines at most")
      do {
        let child = try file.start(payload: plan.payload, plan.arguments)
        environment.count(try Self.run(plan, child, file, &random) ?? Self.atRandom)
        // If the file is not checked, the next process finds it unrecovered.
        isUnchecked = !isKeptOpen && kill < Self.killsPerRound && Int.random(in: 0..<3, using: &random) == 0
        if !isUnchecked { try file.check() }
      } catch {
        throw Finding((error as? Finding)?.message ?? "\(error)", case: log.joined(separator: "\n"))
      }
    }
    return Self.killsPerRound
  }

  private struct Plan {
    var payload = 0
    var arguments: [String] = []
    /// The number of lines after which the process is killed, unless it has killed itself.
    var lines = 240
  }

  private static func plan(
    isFirst: Bool, _ isUnchecked: Bool, _ file: KilledFile, hasMembers: Bool, _ random: inout SeededGenerator
  ) -> Plan {
    var plan = Plan()
    func number(_ most: Int) -> String { "\(Int.random(in: 1...most, using: &random))" }
    plan.payload = Int.random(in: 0..<4, using: &random) == 0 ? 30_000 : 0
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1:
      plan.lines = Int.random(in: 0...40, using: &random)
      plan.payload = [0, 0, 30_000, 2_000_000].randomElement(using: &random) ?? 0
      plan.arguments = Bool.random(using: &random) ? [] : ["maintain", "observe"]
    case 2, 3, 4:
      let failpoint = failpoints.randomElement(using: &random) ?? "file"
      plan.arguments = [
        failpoint, number(["beforeCommit", "memberBegan"].contains(failpoint) ? 30 : 4), "maintain", "observe",
      ]
      if failpoint == Failpoint.resetBeforeMove.rawValue { plan.arguments = [failpoint, number(3), "faulty"] }
    case 5, 6:
      // Few operations reach the first open or recovery; more reach commits, checkpoints, compaction and index filling.
      let most = [30, 100, 1_000, 5_000].randomElement(using: &random) ?? 30
      plan.arguments = ["file", number(most), "maintain"]
      if Bool.random(using: &random) { plan.arguments.append("faulty") }
    default:
      var step = ["open", "commit", "checkpoint", "vacuum", "closing"].randomElement(using: &random) ?? ""
      if hasMembers, Bool.random(using: &random) { step = "filling" }
      if isFirst, !hasMembers, !file.isKeptOpen, Bool.random(using: &random) { step = "first open" }
      if isUnchecked, Int.random(in: 0..<4, using: &random) > 0 { step = "recovery" }
      plan.arguments = [
        "in:\(step)", number(step == "commit" || step == "filling" ? 100 : 30), "maintain",
      ]
    }
    return plan
  }

  /// Runs a plan. Returns the step in which the process killed itself.
  private static func run(
    _ plan: Plan, _ child: ChildProcess, _ file: KilledFile, _ random: inout SeededGenerator
  ) throws -> String? {
    var step: String?
    for _ in 0..<plan.lines {
      guard let line = try child.nextLine() else { break }
      if line.hasPrefix("killed ") { step = String(line.dropFirst(7)) } else { file.note(line) }
    }
    if plan.lines < 240 { usleep(UInt32.random(in: 0...3_000, using: &random)) }
    child.kill()
    return try file.finish(child) ?? step
  }
}
