import DflatCore
import DflatSQLite

extension DictionaryStore {
  /// Registers an observer of a key, and delivers the committed value to it on this thread before it returns (A4).
  func observe(
    _ key: HashedKey, onEnd: @escaping @Sendable () -> Void = {},
    handler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    let observer = KeyObserver(in: core, handler: handler, onEnd: onEnd)
    let subscription = WorkspaceSubscription { [core] in
      guard !core.isForked, observer.cancel() else { return }
      DictionaryStore.of(core).remove(observer, of: key)
    }
    guard core.isOpen, !core.isForked else {
      observer.end()
      return subscription
    }
    core.openForObserving()
    Failpoint.observerBeforeHolding.reach(in: core)
    core.delivery.holding(for: core) {
      guard let (value, commitNumber) = register(observer, of: key) else { return observer.end() }
      let now = core.options.wallClock.now()
      let initial = DictionaryChange(
        event: .initial, namespace: name(of: key), key: key.string, commitNumber: commitNumber,
        value: value.expiration.map { value.visible(at: now).expiring(at: $0) } ?? value, context: deliveryContext)
      observer.deliver(initial)
    }
    return subscription
  }

  /// Takes the committed value and adds the observer under the shard's lock: the value includes what was published
  /// before, and the observer receives what is published later. Returns nil if shutdown has begun, since nothing would
  /// end the observer.
  ///
  /// A value that can't be read is delivered as absent, and isn't cached. If a commit may have changed it since, the key
  /// is loaded again. If the reason may pass, the observer catches up after the next commit.
  private func register(_ observer: KeyObserver, of key: HashedKey) -> (CachedValue, UInt64)? {
    var loaded: (row: DictionaryRow?, view: UInt64, epoch: Int)?
    var failure: WorkspaceError?
    // The state of the shard before the load: a commit that changes a key without an entry moves it.
    var before: (oldestCacheable: UInt64, epoch: Int) = (0, 0)
    while true {
      Failpoint.observerBeforeRegister.reach(in: core)
      var isClosed = false
      let found: (CachedValue, UInt64)? = shards.withShard(of: key) { shard, displaced in
        isClosed = shard.isClosed
        if isClosed { return nil }
        // Cache the loaded row, unless a newer commit may have changed the key; then load it again.
        if shard.committed[key] == nil, let loaded, mayCache(loadedFrom: loaded.view, in: loaded.epoch, in: shard) {
          shard.store(
            loaded.row?.value ?? .absent, for: key, at: loaded.row?.cacheableNumber(in: loaded.view) ?? loaded.view,
            displacing: &displaced)
        }
        let entry = shard.committed[key]
        let now = (oldestCacheable: shard.oldestCacheableCommit, epoch: core.epoch)
        guard entry != nil || failure != nil && now == before else {
          before = now
          return nil
        }
        shard.add(observer, of: key)
        if entry == nil, let failure {
          shard.noteUnread(key, by: observer, mayPass: failure.mayPass)
          if failure.mayPass { hasUnread.store(true, ordering: .relaxed) }
        }
        shard.trim(limit: limit, displacing: &displaced)
        let published = core.publication.published
        guard let entry else { return (.absent, published) }
        return (entry.value, max(entry.commitNumber, published))
      }
      if isClosed { return nil }
      if let found { return found }
      (loaded, failure) = (nil, nil)
      do { loaded = try load(key) ?? (row: nil, view: 0, epoch: core.epoch) } catch let error as WorkspaceError
        where error.code == .conflict
      {
        // An immutable file was written meanwhile. The next view shows it as it is now.
        continue
      } catch {
        let wrapped = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
        core.report(wrapped)
        noteUnreadable(error, key, isCommitted: true)
        failure = wrapped
      }
    }
  }

  private func load(_ key: HashedKey) throws -> (row: DictionaryRow?, view: UInt64, epoch: Int)? {
    let name = name(of: key)
    return try core.withView { connection, view in
      try findExpiring(on: connection)
      return (try DictionaryTable.load(key.string, in: name, on: connection), view, connection.epoch)
    }
  }

  private func known(
    in range: PrefixRange, named name: String, on connection: Connection
  ) throws -> PrefixObserver.Known {
    var known = PrefixObserver.Known()
    for key in try DictionaryTable.keys(prefix: range.prefix, in: name, on: connection) {
      known.keys.insert(HashedKey(key, namespace: range.namespace))
    }
    for (text, expiration) in try ExpiryIndex.instants(in: name, on: connection) {
      let key = HashedKey(text, namespace: range.namespace)
      if range.covers(key) { known.instants[key] = expiration }
    }
    return known
  }

  private func remove(_ observer: KeyObserver, of key: HashedKey) {
    shards.withShard(of: key) { $0.remove(observer, of: key) }
  }

  /// Registers an observer of a range of keys. It receives what is committed from now on.
  func observe(
    _ range: PrefixRange, onEnd: @escaping @Sendable () -> Void = {},
    handler: @escaping @Sendable (DictionaryChange) -> Void
  ) -> WorkspaceSubscription {
    guard core.isOpen, !core.isForked else {
      onEnd()
      return WorkspaceSubscription {}
    }
    core.openForObserving()
    Failpoint.observerBeforeHolding.reach(in: core)
    let observer: PrefixObserver?
    do {
      observer = try core.withPublishedView { connection -> PrefixObserver? in
        // Shutdown has begun: nothing would end the observer.
        guard core.isOpen else { return nil }
        let name = namespaces.name(range.namespace)
        if let connection { try findExpiring(on: connection) }
        let known = try connection.map { try self.known(in: range, named: name, on: $0) } ?? PrefixObserver.Known()
        try connection?.requireUnchangedFile()
        let observer = PrefixObserver(
          core: core, range: range, in: namespaces, known: known, handler: handler, onEnd: onEnd)
        prefixObservers.add(observer)
        return observer
      }
    } catch {
      core.report(.wrapping(error, path: core.path, doing: "Reading"))
      onEnd()
      return WorkspaceSubscription {}
    }
    guard let observer else {
      onEnd()
      return WorkspaceSubscription {}
    }
    return WorkspaceSubscription { [core] in
      guard !core.isForked, observer.cancel() else { return }
      DictionaryStore.of(core).prefixObservers.remove(observer)
    }
  }
}
