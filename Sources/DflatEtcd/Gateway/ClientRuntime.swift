#if Etcd

  /// The place where a client's tasks run, and the way in which its calls wait.
  package struct ClientRuntime: Sendable {
    /// Runs the client's own tasks. Calls run where their caller's task does.
    let executor: (any TaskExecutor)?
    /// Suspends the task for a time; throws if it is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    package init(executor: (any TaskExecutor)?, sleep: @escaping @Sendable (Duration) async throws -> Void) {
      (self.executor, self.sleep) = (executor, sleep)
    }

    /// Swift's pool of threads.
    static let standard = ClientRuntime(executor: nil) { try await Task.sleep(for: $0) }
  }

#endif
