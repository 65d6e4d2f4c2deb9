import DflatCore
import DflatKV
import Foundation
import TestSupport
import Testing

/// Random concurrent histories over three machines whose appends fail at random, judged by what was acknowledged.
@Suite struct RandomHistoryTests {
  /// The first seed, and the number of seeds: `REPLICATION_SEEDS=1000,5000`.
  static var seeds: Range<UInt64> {
    let numbers = (ProcessInfo.processInfo.environment["REPLICATION_SEEDS"] ?? "").split(separator: ",").compactMap {
      UInt64($0)
    }
    return numbers.count == 2 ? numbers[0]..<(numbers[0] + numbers[1]) : 1..<41
  }

  @Test("A1, A2, A5, A6, A7: What was acknowledged is in all files once, what failed is in none, and sums hold")
  func histories() throws {
    for seed in Self.seeds {
      let problems = try RandomHistory(seed: seed).run()
      #expect(problems == [], "seed \(seed)")
    }
  }
}

/// One history: two threads on each of three machines.
private final class RandomHistory: Sendable {
  private static let (machines, threadsOfEach, steps) = (3, 2, 8)
  private static let (accounts, total) = (4, 400)

  /// A transaction's outcome as reported to its caller. A committed one leaves a marker in the file.
  private enum Outcome { case committed, failed, unknown }

  private let seed: UInt64
  private let outcomes = Lock<[String: Outcome]>([:])
  private let problems = Lock<[String]>([])

  init(seed: UInt64) { self.seed = seed }

  func run() throws -> [String] {
    let replicas = try Replicas()
    let faults = (0..<Self.machines).map { LogFaults(seed: seed &* 31 &+ UInt64($0)) }
    let workspaces = try faults.indices.map { try replicas.open("\($0)", faults[$0]) }
    faults.forEach { $0.isCutOff = false }
    while true {
      // The first transaction may fail, too.
      do {
        try workspaces[0].transactAndWait { txn in
          for account in 0..<Self.accounts { txn.dictionary["a.\(account)"] = Self.total / Self.accounts }
        }
        break
      } catch is WorkspaceError {}
    }
    for workspace in workspaces[1...] { try workspace.replication?.catchUp() }
    let threads = (0..<Self.machines * Self.threadsOfEach).map { number in
      let workspace = workspaces[number % Self.machines]
      return BackgroundThread("history") { [self] in
        var random = SeededGenerator(seed: seed &* 97 &+ UInt64(number))
        for step in 0..<Self.steps { self.step("\(number).\(step)", thread: number, step, on: workspace, &random) }
      }
    }
    for thread in threads { try thread.join() }
    for fault in faults { fault.calm() }
    for workspace in workspaces { try flush(workspace) }
    let differences = try replicas.differences()
    if differences != [] { note("The files differ: \(differences)") }
    for workspace in workspaces { judge(workspace, reported: replicas.errors.events) }
    return problems.withLock { $0 }
  }

  private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

  /// Commits what waits for the cluster.
  private func flush(_ workspace: SQLiteWorkspace) throws {
    for attempt in 0... {
      do { return try workspace.dictionary.synchronize() } catch let error as WorkspaceError {
        if attempt == 50 { throw error }
      }
    }
  }

  private func step(
    _ id: String, thread: Int, _ step: Int, on workspace: SQLiteWorkspace, _ random: inout SeededGenerator
  ) {
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5:
      let (from, to) = (
        Int.random(in: 0..<Self.accounts, using: &random), Int.random(in: 0..<Self.accounts, using: &random)
      )
      let amount = Int.random(in: 1..<20, using: &random)
      attempt(id) {
        try workspace.transactAndWait { txn in
          txn.dictionary["a.\(from)"] = (txn.dictionary["a.\(from)"] ?? 0) - amount
          txn.dictionary["a.\(to)"] = (txn.dictionary["a.\(to)"] ?? 0) + amount
          txn.dictionary["n"] = (txn.dictionary["n"] ?? 0) + 1
          txn.dictionary["done.\(id)"] = true
        }
      }
    case 5: workspace.dictionary["p.\(thread)"] = step
    case 6: workspace.dictionary.removeAll(withPrefix: "p.\(thread)")
    case 7:
      let sum = workspace.fetchWithinASnapshot {
        (0..<Self.accounts).reduce(0) { $0 + workspace.dictionary["a.\($1)", default: 0] }
      }
      if sum != Self.total { note("A snapshot shows the sum \(sum).") }
    case 8:
      attempt(id) {
        // Succeeds on one machine at most.
        guard try workspace.dictionary.compareAndSet("done.\(id)", expected: nil, new: true) else {
          return note("A key that was never written has a value.")
        }
        workspace.dictionary["cas.\(id)"] = true
      }
    default: try? workspace.dictionary.synchronize()
    }
  }

  private func attempt(_ id: String, _ body: () throws -> Void) {
    var outcome = Outcome.committed
    do { try body() } catch let error as WorkspaceError {
      outcome = error.code == .outcomeUnknown ? .unknown : .failed
    } catch { note("\(error)") }
    outcomes.withLock { $0[id] = outcome }
  }

  private func judge(_ workspace: SQLiteWorkspace, reported: [WorkspaceError]) {
    let dictionary = workspace.dictionary
    var count = 0
    for (id, outcome) in outcomes.withLock({ $0 }) {
      let isThere = dictionary["done.\(id)", default: false]
      switch outcome {
      case .committed where !isThere: note("\(id) was acknowledged, and is lost.")
      case .failed where isThere: note("\(id) has failed, and is there.")
      default: break
      }
      if isThere { count += 1 }
    }
    let sum = (0..<Self.accounts).reduce(0) { $0 + dictionary["a.\($1)", default: 0] }
    if sum != Self.total { note("The sum is \(sum).") }
    let counted = dictionary["n", default: 0]
    let others = dictionary.keys.count { $0.hasPrefix("cas.") }
    if counted > count || counted + others > count + reported.count {
      note("\(counted) of \(count) are counted, \(others) set.")
    }
  }
}
