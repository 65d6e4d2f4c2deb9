import DflatKV
import Dispatch
import Foundation
import Synchronization

/// The latency from a commit in one process to an observer in another.
enum ObserverWorkload {
  private static let key = "heartbeat"
  private static let commits = 2_000
  private static let warmUp = 20

  private final class Arrivals: Sendable {
    let latencies = Mutex<[Int]>([])
    let complete = DispatchSemaphore(value: 0)

    func add(_ latency: Int) {
      let count = latencies.withLock { list in
        list.append(latency)
        return list.count
      }
      if count == commits { complete.signal() }
    }
  }

  static func rows(_ scratch: ScratchFolder) throws -> [Row] {
    let path = try scratch.newDatabasePath()
    defer { scratch.removeDatabase(at: path) }
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    workspace.dictionary[key, Int.self] = 0
    try workspace.dictionary.synchronize()

    let arrivals = Arrivals()
    let subscription = workspace.dictionary.subscribe(key, of: Int.self) { change in
      guard case .updated(let sent) = change else { return }
      arrivals.add(MonotonicClock.nanoseconds - sent)
    }
    defer { subscription.cancel() }
    _ = try ChildProcess.run(["heartbeat", path])
    guard arrivals.complete.wait(timeout: .now() + .seconds(30)) == .success else {
      let count = arrivals.latencies.withLock { $0.count }
      throw BenchmarkFailure("\(count) of \(commits) commits of the other process reached the observer")
    }
    let samples = Samples(arrivals.latencies.withLock { $0.dropFirst(warmUp).map { Double($0) / 1e6 } })
    return [
      row("observer-median", "median", samples.median, limit: 1),
      row("observer-p99", "99th percentile", samples.quantile(0.99), limit: 20),
    ]
  }

  private static func row(_ id: String, _ statistic: String, _ measured: Double, limit: Double) -> Row {
    Row(
      id: id, title: "commit in one process to observer in another, \(statistic)", baseline: "", unit: .milliseconds,
      measured: measured, limit: limit, rounds: commits - warmUp,
      note: "from just before the transaction's call to the observer's callback, so it includes the commit")
  }

  /// Runs in the child process. Repeatedly commits the current time, each time in a separate transaction after a pause.
  static func beat(path: String) throws {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    for _ in 0..<commits {
      usleep(1_000)
      try workspace.transactAndWait { transaction in
        transaction.dictionary[key, Int.self] = MonotonicClock.nanoseconds
      }
    }
    workspace.shutdown()
  }
}
