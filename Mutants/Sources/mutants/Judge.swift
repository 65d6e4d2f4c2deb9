import Foundation
import Synchronization

/// Runs the tests that reach a mutation against it, the quickest and likeliest first.
final class Judge: Sendable {
  enum Verdict: String, Codable {
    case failed, crashed, hung
    /// The tests that run its code don't notice it.
    case survived
    /// No test runs its code.
    case unreached
  }

  private let reach: Reach
  /// How often each test noticed a mutation of a file.
  private let notices = Mutex<[String: [String: Int]]>([:])

  init(reach: Reach, earlier: [Results.Entry]) {
    self.reach = reach
    for entry in earlier { if let test = entry.test { note(test, in: entry.mutation.file) } }
  }

  private func note(_ test: String, in file: String) {
    notices.withLock { $0[file, default: [:]][test, default: 0] += 1 }
  }

  /// The tests that reach a mutation, in the order in which to run them.
  func plan(for mutation: Mutation) -> [Reach.Test] {
    let noticed = notices.withLock { $0[mutation.file] ?? [:] }
    return reach.tests(reaching: mutation).sorted { one, other in
      let (a, b) = (noticed[one.name] ?? 0, noticed[other.name] ?? 0)
      return a == b ? one.seconds < other.seconds : a > b
    }
  }

  /// Runs tests off the front of `plan` until one notices the mutation or about `budget` seconds' worth of them have passed.
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
      // Suspects that pass by themselves fell to the load of the machine.
      let done = result.outcome == .passed ? Set(names) : Set(result.passed.keys).union(suspects)
      plan.removeAll { done.contains($0.name) }
      spent += seconds
      size = min(size * 4, 16)
    }
    return nil
  }

  /// A test that fails again when the suspects run by themselves, in one of two runs. Bad luck strikes a test among many, on a
  /// busy machine; it seldom strikes it twice.
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
