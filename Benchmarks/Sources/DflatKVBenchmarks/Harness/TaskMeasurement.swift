import Benchmark
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
