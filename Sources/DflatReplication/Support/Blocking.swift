#if Etcd

  import DflatCore
  import Dispatch

  /// Lets a thread, which must not be one of Swift's cooperative threads, wait for an asynchronous call.
  enum Blocking {
    /// Runs a call in a task, and blocks until it returns or the time is over. Then the task is cancelled, and `nil` is
    /// returned: the call may still be running.
    static func run<Value: Sendable>(
      within timeout: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) -> Result<Value, any Error>? {
      let answer = Lock<Result<Value, any Error>?>(nil)
      let isAnswered = DispatchSemaphore(value: 0)
      let task = Task(executorPreference: LogExecutor.shared) {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        answer.withLock { $0 = result }
        isAnswered.signal()
      }
      if isAnswered.wait(timeout: .now() + timeout.interval) != .success { task.cancel() }
      return answer.withLock(\.self)
    }
  }

  extension Duration {
    /// The duration for libdispatch: at most a year, at least nothing.
    var interval: DispatchTimeInterval {
      .nanoseconds(Int(max(.zero, min(self, .seconds(31_536_000))) / .nanoseconds(1)))
    }
  }

  /// Runs a call, and cancels it after a time. It then ends as cancelled calls do.
  func limited<Value: Sendable>(
    to time: Duration, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let call = Task(executorPreference: LogExecutor.shared) { try await body() }
    let timer = Task(executorPreference: LogExecutor.shared) {
      try await pause(for: time)
      call.cancel()
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await call.value
    } onCancel: {
      call.cancel()
    }
  }

#endif
