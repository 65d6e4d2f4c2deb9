#if Etcd

  import DflatCore

  /// Suspends a task for a time. `Task.sleep` would need a thread of Swift's pool for that.
  ///
  /// - Throws: `CancellationError`.
  func pause(for time: Duration) async throws {
    let sleeper = Sleeper()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        sleeper.begin(continuation)
        TimerQueue.run(after: time.interval) { sleeper.wake() }
      }
    } onCancel: {
      sleeper.wake()
    }
    try Task.checkCancellation()
  }

  /// A task that sleeps until it is woken, which may come first.
  private final class Sleeper: Sendable {
    private struct State {
      var continuation: CheckedContinuation<Void, Never>?
      var isAwake = false
    }

    private let state = Lock(State())

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
      let isAwake = state.withLock { state in
        if !state.isAwake { state.continuation = continuation }
        return state.isAwake
      }
      if isAwake { continuation.resume() }
    }

    func wake() {
      let continuation = state.withLock { state in
        state.isAwake = true
        return state.continuation.take()
      }
      continuation?.resume()
    }
  }

#endif
