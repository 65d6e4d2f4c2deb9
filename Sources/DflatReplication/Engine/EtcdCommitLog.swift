#if Etcd

  import DflatCore
  import DflatEtcd

  /// The commit log of a cluster of etcd.
  final class EtcdCommitLog: CommitLog {
    let engine = "etcd"
    let location: String
    let address: String

    let client: EtcdClient
    let store: EntryStore
    let leases: LeaseKeeper
    let board: TurnBoard
    let feed: RecordFeed
    /// The name of this log among the holders and waiters of the turn.
    let me: String
    private let isClosed = Lock(false)
    /// True while a call of this log claims to make a snapshot.
    let isSnapshotter = Lock(false)

    /// The time for a call of the protocol that has no timeout.
    static let patience = Duration.seconds(30)
    /// The time after which a watch without news is set up again. A member that is gone without a word keeps a holder from
    /// learning that others wait, and them from learning that the turn is free: for less time than transactions wait.
    private static let watchRenewal = Duration.seconds(5)
    /// The time to give the turn back at the end, after which its lease does.
    private static let farewell = Duration.seconds(2)

    /// - Parameter leaseTime: The time after which a process that no longer answers loses the turn.
    init(_ configuration: EtcdConfiguration, leaseTime: Duration = .seconds(10)) throws {
      var configuration = configuration
      configuration.watchRenewal = min(configuration.watchRenewal, Self.watchRenewal)
      do {
        client = try EtcdClient(
          configuration, ClientRuntime(executor: LogExecutor.shared, sleep: { try await pause(for: $0) }))
      } catch {
        throw CommitLogError(error)
      }
      me = ProcessName.make()
      let address = EtcdAddress(configuration)
      location = address.location
      self.address = address.text
      let board = TurnBoard(client: client, me: me)
      self.board = board
      store = EntryStore(client: client)
      feed = RecordFeed(client: client, store: store)
      leases = LeaseKeeper(client: client, timeToLive: leaseTime) { lease in board.update { $0.lose(lease) } }
      board.onStrayTurn { [weak self] id in self?.release(id, head: nil) }
      board.onAbandonedPlace { [weak self] in self?.leaveQueue() }
    }

    deinit {
      // The client must be shut down, which does nothing after `close`.
      Task(executorPreference: LogExecutor.shared) { [client, leases, board, feed] in
        board.close()
        feed.close()
        await leases.end()
        try? await client.shutdown()
      }
    }

    // MARK: Calls

    func requireOpen() throws { if isClosed.withLock(\.self) { throw CommitLogError.isClosed } }

    /// Blocks this thread for a call.
    func blocking<Value: Sendable>(
      within timeout: Duration, _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
      try requireOpen()
      switch Blocking.run(within: timeout, body) {
      case .success(let value): return value
      case .failure(let error):
        try requireOpen()
        throw CommitLogError(error)
      case nil:
        try requireOpen()
        throw CommitLogError.timedOut
      }
    }

    /// Repeats a call in the background until it returns true, or the log is closed. A call to which the user has no
    /// right isn't repeated: there would be more and more of them.
    ///
    /// - Parameter longestPause: The bound of the pauses after failed calls. Nobody waits for most calls.
    func repeatInBackground(
      longestPause: Duration = .seconds(5), _ call: @escaping @Sendable (EtcdCommitLog) async throws -> Bool
    ) {
      Task(executorPreference: LogExecutor.shared) { [weak self] in
        var delays = RetryDelays(longest: longestPause)
        while let self, (try? requireOpen()) != nil {
          do {
            if try await call(self) { return }
            delays = RetryDelays(longest: longestPause)
          } catch let error as EtcdError where error.isDenial {
            return
          } catch {
            try? await pause(for: delays.next())
          }
        }
      }
    }

    // MARK: State

    func status(within timeout: Duration) throws -> CommitLogStatus {
      try blocking(within: timeout) { [store] in try await store.status() }
    }

    func create(cluster: String, head: UInt64, within timeout: Duration) throws -> CommitLogStatus {
      try blocking(within: timeout) { [store] in try await store.create(ClusterEntry(identity: cluster, base: head)) }
    }

    // MARK: Following

    func records(
      after number: UInt64, maximumBytes: Int, waiting timeout: Duration, writer: () throws -> Int64?
    ) throws -> [CommitRecord] {
      let deadline = ContinuousClock.now + timeout
      while true {
        try requireOpen()
        switch feed.next(after: number, maximumBytes: maximumBytes, until: deadline) {
        case .records(let records): return records
        case .interrupted:
          try requireOpen()
          throw CommitLogError(.closed, "the wait was interrupted")
        case .unknown:
          // Read, and let the feed begin where the read ends if it isn't there yet.
          let isLast = feed.isInterrupted
          let writerOfCaller = try writer()
          let time = max(
            Self.leastReadTime, isLast ? .zero : min(Self.patience, ContinuousClock.now.duration(to: deadline)))
          let read = try blocking(within: time) { [store] in
            try await store.records(after: number, by: writerOfCaller, maximumBytes: maximumBytes)
          }
          if let end = read.end { feed.begin(after: read.records.last?.number ?? number, at: end) }
          if !read.records.isEmpty || isLast || ContinuousClock.now >= deadline { return read.records }
        }
      }
    }

    func writer(ofRecord number: UInt64, within timeout: Duration) throws -> Int64? {
      try blocking(within: timeout) { [client] in
        // Without the chunks of a large record.
        let entry = try await client.get(LogKeys.record(number))
        return entry.flatMap { LogEntry(decoding: $0.value) }?.writer
      }
    }

    /// The time for a read when the caller doesn't want to wait for new records.
    private static let leastReadTime = Duration.seconds(5)

    func interrupt() { feed.interrupt() }

    func onTurnWanted(_ handler: @escaping @Sendable () -> Void) { board.onTurnWanted(handler) }

    // MARK: Ending

    func close() {
      let isFirst = isClosed.withLock { isClosed in
        defer { isClosed = true }
        return !isClosed
      }
      guard isFirst else { return }
      board.close()
      feed.close()
      // Ends the turn and the place in the queue with the lease.
      _ = Blocking.run(within: Self.farewell) { [leases] in await leases.end() }
      // In a task of its own, which goes on when the time is over.
      _ = Blocking.run(within: Self.farewell) { [client] in
        await Task(executorPreference: LogExecutor.shared) { try? await client.shutdown() }.value
      }
    }
  }

#endif
