#if Etcd

  extension EtcdClient {
    /// Reads a key.
    ///
    /// - Returns: The newest entry that any finished write has left, or nil if there is none.
    /// - Throws: ``EtcdError``.
    public func get(_ key: EtcdKey) async throws -> EtcdEntry? {
      try await get(.key(key)).entries.first
    }

    /// Reads a range, in one request and so at one revision.
    ///
    /// - Throws: ``EtcdError``: `.compacted` or `.futureRevision` for a revision that can't be read, `.tooLarge` if
    ///   the answer exceeds ``EtcdConfiguration/maximumResponseSize``.
    public func get(_ range: EtcdKeyRange, _ options: EtcdReadOptions = EtcdReadOptions()) async throws
      -> EtcdReadResult
    {
      let request = RangeRequest(range, options, in: keyspace)
      let answer: RangeResponse = try await gateway.call(
        "kv/range", request, .repeatable, needsLeader: !options.isSerializable)
      return try answer.result(in: keyspace)
    }

    /// Writes a value.
    ///
    /// - Parameters:
    ///   - value: The bytes to store.
    ///   - key: The key.
    ///   - lease: The lease that deletes the key when it ends; nil if the key stays. A write without a lease takes the
    ///     key off its earlier one.
    /// - Returns: The store's revision, which is the entry's `modRevision`.
    /// - Throws: ``EtcdError``: `.leaseNotFound`, `.tooLarge` (etcd takes 1.5 MiB unless it is configured otherwise).
    @discardableResult
    public func put(_ value: [UInt8], for key: EtcdKey, lease: EtcdLease.ID? = nil) async throws -> Int64 {
      let request = PutRequest(value, key, lease, in: keyspace)
      let answer: HeaderResponse = try await gateway.call("kv/put", request, .once)
      return answer.revision
    }

    /// Writes a text's UTF-8 bytes, like ``put(_:for:lease:)-([UInt8],_,_)``.
    ///
    /// - Throws: ``EtcdError``.
    @discardableResult
    public func put(_ text: String, for key: EtcdKey, lease: EtcdLease.ID? = nil) async throws -> Int64 {
      try await put(Array(text.utf8), for: key, lease: lease)
    }

    /// Deletes a key.
    ///
    /// - Returns: True if the key existed.
    /// - Throws: ``EtcdError``.
    @discardableResult
    public func delete(_ key: EtcdKey) async throws -> Bool { try await delete(.key(key)) > 0 }

    /// Deletes the keys of a range.
    ///
    /// - Returns: The number of deleted keys.
    /// - Throws: ``EtcdError``.
    @discardableResult
    public func delete(_ range: EtcdKeyRange) async throws -> Int {
      let request = DeleteRequest(range, in: keyspace)
      let answer: DeleteResponse = try await gateway.call("kv/deleterange", request, .once)
      return Int(answer.deleted?.value ?? 0)
    }
  }

#endif
