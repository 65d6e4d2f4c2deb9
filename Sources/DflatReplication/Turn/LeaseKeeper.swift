#if Etcd

  import DflatCore
  import DflatEtcd

  /// Keeps the lease of an open log alive, which is granted when it is needed, and again after it was lost.
  actor LeaseKeeper {
    private let client: EtcdClient
    private let timeToLive: Duration
    private let onLoss: @Sendable (EtcdLease.ID) -> Void
    private var lease: EtcdLease.ID?
    private var granting: Task<EtcdLease, any Error>?
    private var maintaining: Task<Void, Never>?
    private var isEnded = false

    init(client: EtcdClient, timeToLive: Duration, onLoss: @escaping @Sendable (EtcdLease.ID) -> Void) {
      (self.client, self.timeToLive, self.onLoss) = (client, timeToLive, onLoss)
    }

    /// Returns the lease. Callers that need a new one at the same time share it.
    func current() async throws -> EtcdLease.ID {
      if isEnded { throw CommitLogError.isClosed }
      if let lease { return lease }
      let task =
        granting
        ?? Task(executorPreference: LogExecutor.shared) { [client, timeToLive] in
          try await client.grantLease(timeToLive: timeToLive)
        }
      granting = task
      let granted: EtcdLease
      do { granted = try await task.value } catch {
        if granting == task { granting = nil }
        throw error
      }
      if granting == task {
        granting = nil
        // The log was closed meanwhile.
        if isEnded { try? await client.revoke(granted.id) } else { keep(granted) }
      }
      if isEnded { throw CommitLogError.isClosed }
      return granted.id
    }

    private func keep(_ granted: EtcdLease) {
      lease = granted.id
      maintaining = Task(executorPreference: LogExecutor.shared) { [client, weak self] in
        try? await client.maintain(granted)
        await self?.lose(granted.id)
      }
    }

    /// Forgets a lease that has ended.
    func lose(_ lost: EtcdLease.ID) {
      guard lease == lost else { return }
      lease = nil
      maintaining?.cancel()
      onLoss(lost)
    }

    /// Lets the lease end by itself, and what it holds with it: the program may not give that up. The next caller gets
    /// another lease.
    func abandon() { if let lease { lose(lease) } }

    /// Ends the lease, and with it the turn and the place in the queue.
    func end() async {
      isEnded = true
      maintaining?.cancel()
      guard let lease = self.lease.take() else { return }
      try? await client.revoke(lease)
    }
  }

#endif
