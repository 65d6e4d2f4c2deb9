import Dispatch
import Foundation

/// The load of most workloads: 100 concurrent tasks of 400 operations each.
enum ConcurrentTasks {
  static let taskCount = 100
  static let operationsPerTask = 400
  static let operationCount = taskCount * operationsPerTask

  /// Runs the body for each task's range of operations in the cooperative pool, and blocks until all tasks have ended.
  static func run(_ body: @escaping @Sendable (Range<Int>) -> Void) {
    let ended = DispatchSemaphore(value: 0)
    Task.detached {
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<taskCount {
          group.addTask { body(range(ofTask: task)) }
        }
      }
      ended.signal()
    }
    ended.wait()
  }

  static func range(ofTask task: Int) -> Range<Int> {
    task * operationsPerTask..<(task + 1) * operationsPerTask
  }
}

/// Runs the same 100 tasks on exactly two threads, whatever the machine's number of cores.
final class TwoThreads: Sendable {
  private let begin = DispatchSemaphore(value: 0)
  private let ready = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the threads, which wait for `run()`.
  init(passes: Int, _ body: @escaping @Sendable (Range<Int>) -> Void) {
    for first in 0..<2 {
      Thread.detachNewThread { [begin, ready, ended] in
        ready.signal()
        begin.wait()
        for _ in 0..<passes {
          for task in stride(from: first, to: ConcurrentTasks.taskCount, by: 2) {
            body(ConcurrentTasks.range(ofTask: task))
          }
        }
        ended.signal()
      }
    }
    ready.wait()
    ready.wait()
  }

  /// Lets both threads work, and blocks until both have ended. Call it once only.
  func run() {
    begin.signal()
    begin.signal()
    ended.wait()
    ended.wait()
  }
}
