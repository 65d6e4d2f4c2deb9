import DflatKV
import Foundation
import TestSupport
import Testing

/// Random operations from several threads on two workspaces of one file, against models in memory.
///
/// `DFLATKV_SEED` replays a run, as far as threads can be replayed; `DFLATKV_MODEL_ROUNDS` makes it longer.
@Suite struct ModelTests {
  private static let rounds = ProcessInfo.processInfo.environment["DFLATKV_MODEL_ROUNDS"].flatMap { Int($0) } ?? 6
  private static let steps = 120

  @Test("A1 to A9: Random operations on two workspaces agree with a model") func randomOperations() throws {
    var generator = SeededGenerator.announced(for: "random operations")
    for round in 0..<Self.rounds {
      try run(seed: generator.next(), limit: round % 3 == 2 ? .entries(16) : .unlimited)
    }
  }

  private func run(seed: UInt64, limit: SQLiteWorkspace.CacheLimit) throws {
    let first = try TestWorkspace {
      $0.cacheLimit = limit
      $0.busyTimeout = .seconds(60)
    }
    let second = try first.another { $0.busyTimeout = .seconds(60) }
    let tests = [first, second]
    let histories = tests.map { History(of: $0.dictionary) }
    let shared = tests.map { History(of: $0.dictionary.namespace("shared")) }
    let threads = (0..<4).map { number in
      BackgroundThread {
        var worker = Worker(number: number, workspace: tests[number / 2].workspace, seed: seed)
        try worker.run(steps: Self.steps)
        return Outcome(increments: worker.increments, watches: worker.watches)
      }
    }
    let outcomes = try threads.map { try $0.join() }
    for test in tests { try test.dictionary.synchronize() }
    for test in tests {
      try test.core.checkForCommits()
      try test.settle()
      #expect(test.errors.events.isEmpty, "A7")
    }

    try check(histories[0], namespace: "", tests)
    try check(shared[0], namespace: "shared", tests)
    #expect(histories[0].changes == histories[1].changes, "A9")
    #expect(shared[0].changes == shared[1].changes, "A9")
    histories[0].forEachState { number, state in
      #expect(state[Worker.pair.0] == state[Worker.pair.1], "A1: commit \(number)")
    }
    let increments = outcomes.reduce(0) { $0 + $1.increments }
    #expect(histories[0].values(of: "counter").dropFirst() == (0..<increments).map { $0 + 1 }[...], "A3")
    for (number, outcome) in outcomes.enumerated() {
      for (watch, isCancelled) in outcome.watches {
        watch.check(against: histories[number / 2].values(of: watch.key), isToTheEnd: !isCancelled)
      }
    }
  }

  private struct Outcome: Sendable {
    var increments: Int
    var watches: [(watch: Watch, isCancelled: Bool)]
  }

  /// Checks that the observed changes lead to the contents of the file and of each cache.
  private func check(_ history: History, namespace: String, _ tests: [TestWorkspace]) throws {
    let changes = history.changes
    #expect(changes.allSatisfy { $0.value ?? 0 >= 0 }, "A2")
    #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.commitNumber <= $1.commitNumber }, "A4")
    var last: [String: Int] = [:]
    for change in changes { last[change.key] = change.value }
    let fresh = try tests[0].another()
    for test in tests + [fresh] {
      let dictionary = test.dictionary.namespace(namespace)
      #expect(dictionary.keys == last.keys.sorted())
      for key in Set(changes.map(\.key)) { #expect(dictionary[key, Int.self] == last[key], "A8: \(key)") }
    }
  }
}
