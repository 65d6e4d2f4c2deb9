import Benchmark
import DflatKV
import Synchronization

/// Measures the time of the 100 tasks, and throws if an operation reports a wrong value.
enum TaskMeasurement {
  private final class Tally: Sendable {
    let wrong = Atomic(0)

    func check(_ range: Range<Int>, _ operation: (Int) -> Bool) {
      var count = 0
      for index in range where !operation(index) { count += 1 }
      if count > 0 { wrong.add(count, ordering: .relaxed) }
    }

    func finish() throws {
      let count = wrong.load(ordering: .relaxed)
      guard count == 0 else { throw BenchmarkFailure("\(count) operations saw a wrong value") }
    }
  }

  static func concurrently(_ state: inout BenchmarkState, _ operation: @escaping @Sendable (Int) -> Bool) throws {
    let tally = Tally()
    state.start()
    ConcurrentTasks.run { tally.check($0, operation) }
    try state.end()
    try tally.finish()
  }

  /// Runs the 40,000 operations on this thread, after a first read that opens the file.
  static func onOneThread(
    _ state: inout BenchmarkState, _ dictionary: WorkspaceDictionary,
    _ operation: (WorkspaceDictionary, Int) -> Bool
  ) throws {
    guard dictionary["absent", Int.self] == nil else { throw BenchmarkFailure("an absent key has a value") }
    var wrong = 0
    state.start()
    for index in 0..<ConcurrentTasks.operationCount where !operation(dictionary, index) { wrong += 1 }
    try state.end()
    guard wrong == 0 else { throw BenchmarkFailure("\(wrong) operations saw a wrong value") }
  }

  static func onTwoThreads(
    _ state: inout BenchmarkState, passes: Int, _ operation: @escaping @Sendable (Int) -> Bool
  ) throws {
    let tally = Tally()
    let threads = TwoThreads(passes: passes) { tally.check($0, operation) }
    state.start()
    threads.run()
    try state.end()
    try tally.finish()
  }
}
