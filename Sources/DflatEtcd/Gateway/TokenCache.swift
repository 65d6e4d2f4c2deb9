#if Etcd

  /// Keeps the token that etcd gave for the user's password. Calls that need a new one at the same time ask once.
  actor TokenCache {
    private var token: String?
    private var pending: Task<String, any Error>?
    private let executor: (any TaskExecutor)?

    init(executor: (any TaskExecutor)?) { self.executor = executor }

    /// Returns a token other than one that etcd has refused.
    func token(
      replacing refused: String?, _ authenticate: @escaping @Sendable () async throws -> String
    ) async throws -> String {
      if let token, token != refused { return token }
      if let pending { return try await pending.value }
      let task = Task(executorPreference: executor) { try await authenticate() }
      pending = task
      defer { pending = nil }
      let new = try await task.value
      token = new
      return new
    }

    /// Forgets a token that a stream was refused with.
    func forget() { token = nil }
  }

#endif
