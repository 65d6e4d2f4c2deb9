import DflatCore
import Dispatch

/// Items that wait to be printed.
protocol WaitingOutput: Sendable {
  associatedtype Item

  /// Removes and returns what is printed next; nil if nothing waits.
  mutating func next() -> Item?
}

/// Prints on a thread of its own while something waits.
///
///     delivery queue ──► add ──► what waits ──► print, one item at a time
///
/// A reader of the output may be slow, or stop reading. If it kept a callback of the workspace waiting, all later commits
/// would queue up behind that with their values.
final class OutputThread<Waiting: WaitingOutput>: Sendable {
  private struct State {
    var waiting: Waiting
    /// True while a thread prints.
    var isPrinting = false
    var isFinished = false
  }

  private let state: Lock<State>
  private let idle = DispatchSemaphore(value: 0)

  init(_ waiting: Waiting) {
    state = Lock(State(waiting: waiting))
  }

  /// Adds output, and has everything that waits printed. After ``finish()``, it does nothing.
  func add(_ change: (inout Waiting) -> Void, print: @escaping @Sendable (Waiting.Item) -> Void) {
    let begins = state.withLock { state in
      if state.isFinished { return false }
      change(&state.waiting)
      defer { state.isPrinting = true }
      return !state.isPrinting
    }
    if begins {
      Threads.run { [self] in
        while let item = next() { print(item) }
      }
    }
  }

  /// Ends the adding, and blocks the calling thread until everything that waits is printed. Call it once.
  func finish() {
    let isPrinting = state.withLock { state in
      state.isFinished = true
      return state.isPrinting
    }
    if isPrinting { idle.wait() }
  }

  private func next() -> Waiting.Item? {
    state.withLock { state in
      if let item = state.waiting.next() { return item }
      state.isPrinting = false
      if state.isFinished { idle.signal() }
      return nil
    }
  }
}
