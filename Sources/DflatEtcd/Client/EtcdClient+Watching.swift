#if Etcd

  extension EtcdClient {
    /// Watches a range: delivers every change after a revision, in order, without gaps, across lost connections and
    /// members.
    ///
    ///     let settings = try await client.get(.prefix("settings/"))
    ///     show(settings.entries)
    ///     for try await changes in client.watch(.prefix("settings/"), after: settings.revision) {
    ///       for event in changes.events { show(event) }
    ///     }
    ///
    /// The watch begins with the first call of `next()`, and ends with its task or with its iterator. Nothing is lost in
    /// between, however late it begins or however slow the loop is, unless the revisions are compacted. While no
    /// endpoint answers as etcd does, it keeps trying. A watch of a range without keys ends at once.
    ///
    /// A watch goes on from the last revision that it has delivered. If its keys don't change for longer than etcd keeps
    /// its history, that revision is compacted, and the watch ends with `.compacted` when it is set up again, although
    /// it may have missed nothing: begin again with a read.
    ///
    /// - Parameters:
    ///   - range: The keys to watch.
    ///   - revision: The revision after which changes are delivered, usually that of a read.
    ///   - reportingPrevious: Delivers the entry before each change, too.
    ///   - onInterruption: Called, on the iterating task, with each error that the watch continues after. An endpoint
    ///     that the watch moves away from at once counts, too.
    /// - Returns: A sequence whose iterator throws ``EtcdError``: `.compacted` if the revision after the last delivered
    ///   one was compacted, so that the caller has to read the range again; `.tooLarge` if a change, or all changes of a
    ///   revision, exceed ``EtcdConfiguration/maximumResponseSize``; `.invalidRequest` for the empty key of a client
    ///   without a prefix, which etcd doesn't have; `.permissionDenied`, `.unauthenticated`, `.cancelled`, `.shutDown`.
    public func watch(
      _ range: EtcdKeyRange, after revision: Int64, reportingPrevious: Bool = false,
      onInterruption: (@Sendable (EtcdError) -> Void)? = nil
    ) -> EtcdWatch {
      EtcdWatch(
        gateway: gateway, keyspace: keyspace, range: range, revision: revision, reportsPrevious: reportingPrevious,
        onInterruption: onInterruption)
    }
  }

#endif
