#if Metrics
  public import CoreMetrics
  public import DflatKV
  import Synchronization

  /// Reports the commits and the cache of one workspace to swift-metrics.
  ///
  ///     let metrics = WorkspaceMetrics(dimensions: [("file", "settings")])
  ///     var options = SQLiteWorkspace.Options()
  ///     options.meter = metrics
  ///     let workspace = try SQLiteWorkspace.open(filePath: "settings.db", options: options)
  ///     try await metrics.sample(workspace, every: .seconds(10))  // in a task of its own
  ///
  /// | name | metric | value |
  /// |---|---|---|
  /// | `dflatkv.commits` | counter | commits of this workspace |
  /// | `dflatkv.group.size` | recorder | transactions, and flushes of plain writes, that a commit contains |
  /// | `dflatkv.commit.duration` | timer | ``/DflatCore/CommitMeasurement/duration`` |
  /// | `dflatkv.delivery.lag` | timer | ``/DflatCore/CommitMeasurement/deliveryLag`` |
  /// | `dflatkv.log.pages` | gauge | pages in the write-ahead log after the newest commit, of 4 KiB each |
  /// | `dflatkv.cache.hits` | counter | reads of one key of the dictionary that the cache answered |
  /// | `dflatkv.cache.misses` | counter | reads of one key of the dictionary that went to the file |
  /// | `dflatkv.cache.entries` | gauge | keys in the cache |
  /// | `dflatkv.replication.phase` | gauges, one for each value of the dimension `phase` | 1 for the phase of the replica, 0 for the others |
  /// | `dflatkv.replication.behind` | gauge | commits of the cluster that the replica doesn't have yet |
  /// | `dflatkv.replication.contact.age` | gauge | seconds since the cluster's last answer |
  ///
  /// The first five are reported after each commit, on the workspace's delivery queue, and the others by each sample; those of
  /// replication only if the workspace is a replica, and the last one once the cluster has answered. Any thread may use it.
  public final class WorkspaceMetrics: WorkspaceMeter {
    private let commits: Counter
    private let groupSize: Recorder
    private let duration: CoreMetrics.Timer
    private let deliveryLag: CoreMetrics.Timer
    private let logPages: Gauge
    private let hits: Counter
    private let misses: Counter
    private let entries: Gauge
    /// The reads that earlier samples reported.
    private let reported = Mutex((hits: UInt64(0), misses: UInt64(0)))
    private let dimensions: [(String, String)]
    private let factory: any MetricsFactory
    /// Nil until a replica is sampled.
    private let replication = Mutex<ReplicationGauges?>(nil)

    /// Creates the metrics of one workspace.
    ///
    /// - Parameters:
    ///   - dimensions: Dimensions for each metric, such as a name of the file.
    ///   - factory: The factory; by default, that of the program.
    public init(dimensions: [(String, String)] = [], factory: any MetricsFactory = MetricsSystem.factory) {
      self.dimensions = dimensions
      self.factory = factory
      commits = Counter(label: "dflatkv.commits", dimensions: dimensions, factory: factory)
      groupSize = Recorder(label: "dflatkv.group.size", dimensions: dimensions, factory: factory)
      duration = CoreMetrics.Timer(label: "dflatkv.commit.duration", dimensions: dimensions, factory: factory)
      deliveryLag = CoreMetrics.Timer(label: "dflatkv.delivery.lag", dimensions: dimensions, factory: factory)
      logPages = Gauge(label: "dflatkv.log.pages", dimensions: dimensions, factory: factory)
      hits = Counter(label: "dflatkv.cache.hits", dimensions: dimensions, factory: factory)
      misses = Counter(label: "dflatkv.cache.misses", dimensions: dimensions, factory: factory)
      entries = Gauge(label: "dflatkv.cache.entries", dimensions: dimensions, factory: factory)
    }

    /// Reports a commit. The workspace calls it.
    public func didCommit(_ commit: CommitMeasurement) {
      commits.increment()
      groupSize.record(commit.groupSize)
      duration.recordNanoseconds(commit.duration.nanoseconds)
      deliveryLag.recordNanoseconds(commit.deliveryLag.nanoseconds)
      logPages.record(commit.logPages)
    }

    /// Reports the cache, its size and the reads since the last sample, and the state of a replica.
    public func sample(_ workspace: some Workspace) {
      let cache = workspace.dictionaryCache
      let new = reported.withLock { reported in
        defer { reported = (max(reported.hits, cache.hits), max(reported.misses, cache.misses)) }
        // Of two samples at the same time, the one with the older counts may come last.
        return (
          hits: cache.hits - min(reported.hits, cache.hits),
          misses: cache.misses - min(reported.misses, cache.misses)
        )
      }
      hits.increment(by: Int64(clamping: new.hits))
      misses.increment(by: Int64(clamping: new.misses))
      entries.record(cache.entries)
      guard let status = (workspace as? SQLiteWorkspace)?.replication?.status else { return }
      let gauges = replication.withLock { gauges in
        let all = gauges ?? ReplicationGauges(dimensions, factory)
        gauges = all
        return all
      }
      gauges.record(status)
    }

    /// Reports the same again and again, until the task is cancelled.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sample(_ workspace: some Workspace, every interval: Duration) async throws {
      while true {
        sample(workspace)
        try await Task.sleep(for: interval)
      }
    }
  }

  extension Duration {
    fileprivate var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
  }
#endif
