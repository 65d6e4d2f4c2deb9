#if Etcd

  extension EtcdClient {
    /// Grants a lease.
    ///
    /// - Parameter timeToLive: The time after which the lease ends unless it is kept alive, rounded up to whole seconds.
    /// - Throws: ``EtcdError``. If the answer is lost, the call is repeated; the first lease then ends by itself, and so
    ///   does one that an error with ``EtcdError/mayHaveTakenEffect`` leaves.
    public func grantLease(timeToLive: Duration) async throws -> EtcdLease {
      let request = LeaseGrantRequest(ttl: Int64Text(timeToLive.wholeSeconds))
      let answer: LeaseResponse = try await gateway.call("lease/grant", request, .repeatableWrite)
      return try answer.lease
    }

    /// Starts a lease's time again.
    ///
    /// - Returns: The time that the lease now has.
    /// - Throws: ``EtcdError``: `.leaseNotFound` if the lease has ended.
    @discardableResult
    public func keepAlive(_ lease: EtcdLease.ID) async throws -> Duration {
      try await keepAlive(lease, until: nil)
    }

    private func keepAlive(_ lease: EtcdLease.ID, until limit: ContinuousClock.Instant?) async throws -> Duration {
      let request = LeaseRequest(id: Int64Text(lease.number))
      let answer: LeaseResponse = try await gateway.call(
        "lease/keepalive", request, .repeatableWrite, until: limit, decode: Gateway.decodeMessage)
      guard let seconds = answer.ttl?.value, seconds > 0 else { throw EtcdError.leaseNotFound(lease) }
      return .seconds(seconds)
    }

    /// Keeps a lease alive, three times in each of its periods, until the task is cancelled. Attempts that fail are
    /// repeated as long as the lease has time left.
    ///
    /// - Throws: ``EtcdError``: `.leaseNotFound` if the lease has ended, `.unavailable` if the cluster was out of reach
    ///   for the lease's whole time, `.cancelled` when the task is cancelled.
    public func maintain(_ lease: EtcdLease) async throws {
      var end = ContinuousClock.now + lease.timeToLive
      while true {
        // The lease's time starts again after the request is sent, at the earliest.
        let start = ContinuousClock.now
        do { end = start + (try await keepAlive(lease.id, until: end)) } catch let error
          as EtcdError
        {
          guard error.isPassing, ContinuousClock.now < end else { throw error }
          continue
        }
        do { try await gateway.runtime.sleep(lease.timeToLive / 3) } catch { throw EtcdError.cancelled }
      }
    }

    /// Runs a closure with a lease that is kept alive meanwhile and revoked afterwards, with all its keys.
    ///
    ///     try await client.withLease(timeToLive: .seconds(10)) { lease in
    ///       try await client.put(address, for: "servers/a", lease: lease.id)
    ///       try await serve()
    ///     }
    ///
    /// If the lease ends nevertheless, for example because the cluster is out of reach for longer than `timeToLive`, the
    /// closure's task is cancelled. If the lease can't be revoked, it ends by itself.
    ///
    /// - Throws: What the closure throws; ``EtcdError``: `.leaseNotFound` if the lease ended first, `.unavailable` if
    ///   the cluster was out of reach for its time.
    public func withLease<Result: Sendable>(
      timeToLive: Duration, _ body: @escaping @Sendable (EtcdLease) async throws -> Result
    ) async throws -> Result {
      let lease = try await grantLease(timeToLive: timeToLive)
      let result: Swift.Result<Result, any Error>
      do {
        result = .success(
          try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
              try await self.maintain(lease)
              return nil
            }
            group.addTask { try await body(lease) }
            defer { group.cancelAll() }
            while let next = try await group.next() { if let next { return next } }
            throw EtcdError.cancelled
          })
      } catch { result = .failure(error) }
      // In a task of its own, which the caller's cancellation doesn't reach.
      await Task { try? await self.revoke(lease.id) }.value
      return try result.get()
    }

    /// Ends a lease and deletes its keys.
    ///
    /// - Throws: ``EtcdError``: `.leaseNotFound` if the lease has ended already. If an answer is lost, the call is
    ///   repeated, and a lease that has ended by then counts as revoked.
    public func revoke(_ lease: EtcdLease.ID) async throws {
      do {
        let _: HeaderResponse = try await gateway.call(
          "lease/revoke", LeaseRequest(id: Int64Text(lease.number)), .repeatableWrite)
      } catch let error as EtcdError where error.code == .leaseNotFound && error.mayHaveTakenEffect {
        // The attempt whose answer was lost has probably ended the lease.
      }
    }

    /// Returns the time that a lease has left, and its keys; nil if it has ended.
    ///
    /// - Throws: ``EtcdError``.
    public func status(of lease: EtcdLease.ID) async throws -> EtcdLeaseStatus? {
      let request = LeaseStatusRequest(id: Int64Text(lease.number), keys: true)
      let answer: LeaseStatusResponse = try await gateway.call("lease/timetolive", request, .repeatable)
      // etcd answers -1 for a lease that it doesn't know.
      let remaining = answer.ttl?.value ?? 0
      guard remaining >= 0, let granted = answer.grantedTTL?.value else { return nil }
      return EtcdLeaseStatus(
        remaining: .seconds(remaining), timeToLive: .seconds(granted),
        keys: (answer.keys ?? []).compactMap { keyspace.key(fromStored: $0.bytes) })
    }
  }

  extension EtcdError {
    static func leaseNotFound(_ lease: EtcdLease.ID) -> EtcdError {
      EtcdError(.leaseNotFound, "The lease \(lease) has ended, and its keys are deleted: grant a new one.")
    }

    static let cancelled = EtcdError(.cancelled, "The task was cancelled.")
  }

  extension Duration {
    /// The duration in seconds, rounded up, and at least 1.
    var wholeSeconds: Int64 {
      let (seconds, attoseconds) = components
      return max(1, seconds + (attoseconds > 0 ? 1 : 0))
    }
  }

#endif
