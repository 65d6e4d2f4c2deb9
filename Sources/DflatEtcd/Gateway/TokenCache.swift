#if Etcd

  import Synchronization

  /// Keeps the token that etcd gave for the user's password. Calls that need a new one at the same time ask once.
  final class TokenCache: Sendable {
    private typealias Waiter = CheckedContinuation<String, any Error>

    private struct State {
      var token: String?
      /// True while a task asks for a token.
      var isAsking = false
      /// The calls that wait for that task.
      var waiters: [Int: Waiter] = [:]
      var lastWaiter = 0
    }

    private enum Step {
      case use(String)
      case wait(number: Int, asks: Bool)
    }

    private let state = Mutex(State())
    private let executor: (any TaskExecutor)?

    init(executor: (any TaskExecutor)?) { self.executor = executor }

    /// Returns a token other than one that etcd has refused. A caller that is cancelled stops waiting, and the others
    /// still get the token.
    func token(
      replacing refused: String?, _ authenticate: @escaping @Sendable () async throws -> String
    ) async throws -> String {
      switch firstStep(replacing: refused) {
      case .use(let token): return token
      case .wait(let number, let asks): return try await wait(as: number, asking: asks ? authenticate : nil)
      }
    }

    private func firstStep(replacing refused: String?) -> Step {
      state.withLock { state in
        if let token = state.token, token != refused { return .use(token) }
        state.lastWaiter += 1
        defer { state.isAsking = true }
        return .wait(number: state.lastWaiter, asks: !state.isAsking)
      }
    }

    private func wait(
      as number: Int, asking authenticate: (@Sendable () async throws -> String)?
    ) async throws -> String {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (waiter: Waiter) in
          // Under the lock, so that a cancellation from now on finds the waiter.
          let isCancelled = state.withLock { state in
            let isCancelled = Task.isCancelled
            if !isCancelled { state.waiters[number] = waiter }
            return isCancelled
          }
          if isCancelled { waiter.resume(throwing: EtcdError.cancelled) }
          if let authenticate { ask(authenticate) }
        }
      } onCancel: {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: EtcdError.cancelled)
      }
    }

    /// Asks in a task of its own, which no caller's cancellation reaches.
    private func ask(_ authenticate: @escaping @Sendable () async throws -> String) {
      Task(executorPreference: executor) { [self] in
        do { finish(.success(try await authenticate())) } catch { finish(.failure(error)) }
      }
    }

    private func finish(_ result: Result<String, any Error>) {
      let waiters = state.withLock { state in
        if case .success(let token) = result { state.token = token }
        state.isAsking = false
        defer { state.waiters = [:] }
        return state.waiters
      }
      for waiter in waiters.values { waiter.resume(with: result) }
    }

    /// Forgets a token that a stream was refused with.
    func forget() { state.withLock { $0.token = nil } }
  }

#endif
