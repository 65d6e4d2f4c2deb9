#if Etcd

  extension EtcdClient {
    /// Compares, and carries out one of two lists of operations, all in one step.
    ///
    ///     let result = try await client.transaction(
    ///       if: [.isMissing("leader")],
    ///       then: [.put(name, for: "leader", lease: lease.id)],
    ///       else: [.get(.key("leader"))])
    ///
    /// - Parameters:
    ///   - comparisons: The conditions, all of which have to hold; none means success.
    ///   - success: The operations to carry out if they hold. No key may be written twice.
    ///   - failure: The operations to carry out otherwise.
    /// - Throws: ``EtcdError``: `.invalidRequest` if a key is written twice or there are too many operations (etcd takes
    ///   128 in a list unless it is configured otherwise). The call is repeated only if it has nothing but reads.
    public func transaction(
      if comparisons: [EtcdComparison] = [], then success: [EtcdOperation], else failure: [EtcdOperation] = []
    ) async throws -> EtcdTransactionResult {
      let request = TransactionRequest(comparisons, success, failure, in: keyspace)
      let isRead = success.allSatisfy(\.isRead) && failure.allSatisfy(\.isRead)
      let answer: TransactionResponse = try await gateway.call("kv/txn", request, isRead ? .repeatable : .once)
      do { return try answer.result(in: keyspace) } catch let error as EtcdError {
        throw error.mayHaveTakenEffect(!isRead)
      }
    }

    /// Forgets the revisions before one, which frees their space for new ones. Later reads and watches of them fail
    /// (`.compacted`).
    ///
    /// - Parameters:
    ///   - revision: The oldest revision that stays readable.
    ///   - isPhysical: Waits until the space is free.
    /// - Throws: ``EtcdError``: `.compacted` if the revision is already compacted, `.futureRevision` if it doesn't exist.
    public func compact(before revision: Int64, isPhysical: Bool = false) async throws {
      let request = CompactionRequest(revision: Int64Text(revision), physical: isPhysical)
      let _: HeaderResponse = try await gateway.call("kv/compaction", request, .once)
    }
  }

#endif
