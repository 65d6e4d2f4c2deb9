import DflatCore
import Foundation
import TestSupport

/// Kills this process in the middle of a step of its work, and prints the step.
enum KillSteps {
  private struct State {
    /// The steps of each thread, with the innermost last.
    var ofThreads: [UInt: [String]] = [:]
    var ofProcess: String?
  }

  /// The library's lock, because the thread sanitizer doesn't know `Mutex`.
  private static let state = Lock(State())

  /// The step of this thread, or otherwise of the process as a whole.
  static var current: String {
    state.withLock { $0.ofThreads[thread]?.last ?? $0.ofProcess ?? "other operation" }
  }

  /// Runs `body` as a step of this thread.
  static func within<T>(_ step: String, _ body: () throws -> T) rethrows -> T {
    enter(step)
    defer { leave(step) }
    return try body()
  }

  /// Runs `body` as a step of the process. Other threads work for it.
  static func withinProcess<T>(_ step: String, _ body: () throws -> T) rethrows -> T {
    state.withLock { $0.ofProcess = step }
    defer { state.withLock { $0.ofProcess = nil } }
    return try body()
  }

  /// Records the library's own steps between its failpoints.
  static func watchLibrary() {
    for (step, began, ended) in [
      ("commit", "beforeCommit", "committedBeforePublish"), ("checkpoint", "checkpointBegan", "checkpointEnded"),
      ("filling", "fillingBegan", "fillingEnded"),
    ] {
      arm(began) { enter(step) }
      arm(ended) { leave(step) }
    }
  }

  /// Returns a plan that kills this process at the operation of that number on the file, in that step or in any.
  static func plan(_ path: String, operation number: Int, in step: String?) throws -> FaultPlan {
    let hit = HitCounter()
    return try FaultPlan(.any, in: path, at: .from(1)) {
      let current = current
      if step == nil || step == current, hit.next() == number { die(in: current) }
      return nil
    }
  }

  static func die(in step: String) -> Never {
    say("killed \(step)")
    kill(getpid(), SIGKILL)
    while true { pause() }
  }

  private static func enter(_ step: String) { state.withLock { $0.ofThreads[thread, default: []].append(step) } }

  private static func leave(_ step: String) {
    state.withLock { state in
      // A COMMIT that failed has not reached its end.
      guard let index = state.ofThreads[thread]?.lastIndex(of: step) else { return }
      state.ofThreads[thread]?.removeSubrange(index...)
    }
  }

  private static var thread: UInt {
    #if canImport(Darwin) || canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }
}
