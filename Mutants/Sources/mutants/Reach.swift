import Foundation
import Synchronization

/// The mutations whose code each test runs, and the duration of each test. Both are measured once, without an active
/// fault, with one process per test.
struct Reach: Codable {
  struct Test: Codable {
    let name: String
    let seconds: Double
    /// Indices in `mutations`.
    let reached: [Int]
    /// The number of elements of `mutations` that were compiled in when the test ran.
    let known: Int
  }

  /// The names of the mutations that were compiled in.
  private(set) var mutations: [String] = []
  private(set) var tests: [Test] = []

  /// Modules whose tests don't run the mutated code, or run it in so many ways that a fault can't be told from chance.
  private static let unrelated = [
    "DflatBuffersTests", "DflatCTests", "DflatSchemaTests", "InteropTests", "TortureTests",
  ]

  init(url: URL) {
    guard let data = try? Data(contentsOf: url), let read = try? JSONDecoder().decode(Reach.self, from: data) else {
      return
    }
    self = read
  }

  func write(to url: URL) throws { try JSONEncoder().encode(self).write(to: url) }

  /// Runs the tests that earlier runs didn't measure, and removes those that no longer exist.
  ///
  /// Mutations added later don't invalidate earlier measurements: a test is assumed to reach such a mutation if it
  /// reaches any other mutation of the same file.
  ///
  /// - Parameter numbered: The mutations that are compiled in, by number.
  mutating func measure(
    _ numbered: [Int: Mutation], jobs: Int, processes: [TestProcess], log: @Sendable (String) -> Void
  ) throws {
    let all = try processes[0].list().filter { test in !Self.unrelated.contains { test.hasPrefix($0 + ".") } }
    let present = Set(all)
    tests.removeAll { !present.contains($0.name) }
    let measured = Set(tests.map(\.name))
    let missing = all.filter { !measured.contains($0) }
    if missing.isEmpty { return }
    log("Running \(missing.count) tests without a fault")

    // Give each new mutation a position in `mutations`, which outlives its number.
    var positions = Dictionary(uniqueKeysWithValues: zip(mutations, mutations.indices))
    for mutation in numbered.values where positions[mutation.name] == nil {
      positions[mutation.name] = mutations.count
      mutations.append(mutation.name)
    }
    let numbers = numbered.mapValues { positions[$0.name]! }
    let highest = numbered.keys.max() ?? 0
    let known = mutations.count

    // Run each test in its own process, several at a time.
    let rest = Mutex(missing[...])
    let found = Mutex<[Test]>([])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: jobs) { index in
      while let test = rest.withLock({ $0.popFirst() }) {
        do {
          let (seconds, reached) = try Self.run(test, in: processes[index], highest: highest)
          let places = reached.compactMap { numbers[$0] }
          found.withLock { $0.append(Test(name: test, seconds: seconds, reached: places, known: known)) }
        } catch { failures.withLock { $0.append("\(test): \(error)") } }
      }
    }
    let failed = failures.withLock { $0 }
    for failure in failed { log("Left out, as it fails without a fault: \(failure)") }
    guard failed.count * 20 <= missing.count + 100 else {
      throw Failure(description: "Too many tests fail without a fault.")
    }
    tests += found.withLock { $0 }
  }

  private static func run(_ test: String, in process: TestProcess, highest: Int) throws -> (Double, [Int]) {
    let file = process.scratch.deletingLastPathComponent().appending(
      path: process.scratch.lastPathComponent + ".reached")
    var result: TestProcess.Result?
    for _ in 0..<3 where result?.outcome != .passed {
      try Data(count: highest + 1).write(to: file)
      result = try process.run([test], mutant: 0, within: .seconds(300), reached: file)
    }
    guard let result, result.outcome == .passed else {
      throw Failure(description: "\(result.map { "\($0.outcome)" } ?? "") \(process.output.suffix(500))")
    }
    let reached = try Data(contentsOf: file)
    return (result.passed.values.reduce(0, +), reached.indices.filter { reached[$0] != 0 })
  }

  /// Returns the tests that may notice a mutation.
  func tests(reaching mutation: Mutation) -> [Test] {
    let position = mutations.firstIndex(of: mutation.name) ?? .max
    let places = Set(mutations.indices.filter { mutations[$0].hasPrefix(mutation.file + " ") })
    return tests.filter { test in
      position < test.known ? test.reached.contains(position) : test.reached.contains(where: places.contains)
    }
  }
}
