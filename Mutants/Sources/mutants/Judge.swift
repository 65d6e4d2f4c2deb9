import Foundation
import Synchronization

/// Runs the tests that reach a mutation against it. Tests that have noticed more mutations of the file run first, then
/// faster ones.
final class Judge: Sendable {
  enum Verdict: String, Codable {
    case failed, crashed, hung
    /// The tests that run the mutated code don't notice the mutation.
    case survived
    /// No test runs the mutated code.
    case unreached
  }

  private let reach: Reach
  /// The number of mutations of each file that each test has noticed.
  private let notices = Mutex<[String: [String: Int]]>([:])

  init(reach: Reach, earlier: [Results.Entry]) {
    self.reach = reach
    for entry in earlier { if let test = entry.test { note(test, in: entry.mutation.file) } }
  }

  private func note(_ test: String, in file: String) {
    notices.withLock { $0[file, default: [:]][test, default: 0] += 1 }
  }

  /// Returns the tests that reach a mutation, in the order in which to run them.
  func plan(for mutation: Mutation) -> [Reach.Test] {
    let noticed = notices.withLock { $0[mutation.file] ?? [:] }
    return reach.tests(reaching: mutation).sorted { one, other in
      let (a, b) = (noticed[one.name] ?? 0, noticed[other.name] ?? 0)
      return a == b ? one.seconds < other.seconds : a > b
    }
  }

  /// Runs tests from the front of `plan` until one notices the mutation, or until tests worth about `budget` seconds
  /// have run.
  func run(
    _ plan: inout [Reach.Test], on mutation: Mutation, number: Int, in process: TestProcess, budget: Double
  ) throws -> (verdict: Verdict, test: String)? {
    var spent = 0.0
    var size = 1.0
    while !plan.isEmpty, spent < budget {
      let batch = Self.batch(plan, seconds: size)
      let (seconds, names) = (batch.reduce(0) { $0 + $1.seconds }, batch.map(\.name))
      let result = try process.run(names, mutant: number, within: Self.limit(seconds))
      let (suspects, verdict): ([String], Verdict) =
        switch result.outcome {
        case .passed: ([], .survived)
        case .failed(let tests): (tests, .failed)
        case .crashed(let tests): (tests, .crashed)
        case .hung(let tests): (tests, .hung)
        }
      if !suspects.isEmpty, let test = try confirm(suspects, number: number, in: process) {
        note(test, in: mutation.file)
        return (verdict, test)
      }
      // A suspect that passes when run again failed because of the load on the machine.
      let done = result.outcome == .passed ? Set(names) : Set(result.passed.keys).union(suspects)
      plan.removeAll { done.contains($0.name) }
      spent += seconds
      size = min(size * 4, 16)
    }
    return nil
  }

  /// Runs the suspects again, up to twice, and returns a test that fails again. On a busy machine, one of many tests
  /// may fail by chance, but rarely twice.
  private func confirm(_ suspects: [String], number: Int, in process: TestProcess) throws -> String? {
    let seconds = reach.tests.reduce(0) { suspects.contains($1.name) ? $0 + $1.seconds : $0 }
    for _ in 0..<2 {
      switch try process.run(suspects, mutant: number, within: Self.limit(seconds)).outcome {
      case .passed: continue
      case .failed(let tests), .crashed(let tests), .hung(let tests): return tests.first ?? suspects[0]
      }
    }
    return nil
  }

  private static func batch(_ plan: [Reach.Test], seconds: Double) -> ArraySlice<Reach.Test> {
    var sum = 0.0
    let end = plan.firstIndex { test in
      sum += test.seconds
      return sum > seconds
    }
    return plan[..<max(1, end ?? plan.count)]
  }

  private static func limit(_ seconds: Double) -> Duration { .seconds(seconds * 4 + 10) }
}
