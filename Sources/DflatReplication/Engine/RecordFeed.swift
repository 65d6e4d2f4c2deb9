#if Etcd

  import DflatCore
  import DflatEtcd
  import Dispatch

  /// The newest records as a watch delivers them, for callers that wait for the next one.
  ///
  /// A bounded window of the log: old records leave it when newer ones need their place. The feed ends when that would
  /// lose a record that nobody has asked for yet, or when the watch is interrupted. Callers then read the log, and let
  /// the feed begin again where their read ended: the cluster may have been restored meanwhile, and a watch would say
  /// nothing of that.
  final class RecordFeed: Sendable {
    enum Answer {
      case records([CommitRecord])
      case interrupted
      /// The feed doesn't know, or the time is over: read the log. A watch that delivers nothing may have lost its
      /// connection.
      case unknown
    }

    fileprivate struct State {
      /// Without a gap, up to `last`.
      var window: [CommitRecord] = []
      var bytes = 0
      /// The newest record that the feed has seen.
      var last: UInt64 = 0
      /// The newest record that a caller has.
      var delivered: UInt64 = 0
      /// Identifies the running watch; nil if there is none.
      var running: SerialNumber?
      var task: Task<Void, Never>?
      /// The pauses after watches that ended soon.
      var delays = RecordFeed.freshDelays
      var waiting: [DispatchSemaphore] = []
      var isInterrupted = false
      var isClosed = false
    }

    private static let capacity = 16 << 20
    /// The bound of the pauses between watches that fail again and again.
    private static let longestPause = Duration.seconds(1)

    fileprivate static var freshDelays: RetryDelays { RetryDelays(longest: longestPause) }

    private let client: EtcdClient
    private let store: EntryStore
    private let state = Lock(State())

    init(client: EtcdClient, store: EntryStore) { (self.client, self.store) = (client, store) }

    // MARK: Callers

    /// Returns the records after a number that the feed has, or waits for one. A call after the interruption doesn't wait.
    func next(after number: UInt64, maximumBytes: Int, until deadline: ContinuousClock.Instant) -> Answer {
      let isLate = state.withLock(\.isInterrupted)
      while true {
        let semaphore = DispatchSemaphore(value: 0)
        let answer = state.withLock { state -> Answer? in
          if state.isClosed || state.isInterrupted && !isLate { return .interrupted }
          if let records = state.records(after: number, maximumBytes: maximumBytes) { return .records(records) }
          guard state.running != nil, state.last == number, !isLate, ContinuousClock.now < deadline else {
            return .unknown
          }
          state.waiting.append(semaphore)
          return nil
        }
        if let answer { return answer }
        let time = ContinuousClock.now.duration(to: deadline)
        if semaphore.wait(timeout: .now() + time.interval) == .timedOut {
          state.withLock { $0.waiting.removeAll { $0 === semaphore } }
        }
      }
    }

    /// Lets the feed begin after a record that was read at a revision, unless it is there or further already.
    func begin(after number: UInt64, at revision: Int64) {
      let watch = SerialNumber()
      let earlier = state.withLock { state -> Task<Void, Never>? in
        if state.isClosed || state.running != nil && state.last >= number { return nil }
        defer {
          (state.window, state.bytes, state.last, state.delivered) = ([], 0, number, number)
          state.running = watch
          state.task = Task(executorPreference: LogExecutor.shared) { [weak self, client] in
            let start = ContinuousClock.now
            // Whatever ends it, the callers' next read reports it.
            try? await Self.follow(client, after: revision) { try await self?.add($0, to: watch) ?? false }
            if let time = self?.pauseAfterWatch(since: start) { try? await pause(for: time) }
            self?.end(watch)
          }
        }
        return state.task
      }
      earlier?.cancel()
    }

    func interrupt() { wake { $0.isInterrupted = true } }

    /// True once waiting calls were interrupted.
    var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    func close() {
      state.withLock(\.task)?.cancel()
      wake { $0.isClosed = true }
    }

    private func wake(_ change: (inout State) -> Void) {
      let waiting = state.withLock { state in
        change(&state)
        defer { state.waiting = [] }
        return state.waiting
      }
      for semaphore in waiting { semaphore.signal() }
    }

    // MARK: The watch

    /// - Parameter add: Returns false if the watch is to end.
    private static func follow(
      _ client: EtcdClient, after revision: Int64, _ add: (EtcdEntry) async throws -> Bool
    ) async throws {
      for try await changes in client.watch(LogKeys.records, after: revision).endingWhenInterrupted() {
        for event in changes.events where event.kind == .put {
          guard try await add(event.entry) else { return }
        }
      }
    }

    private func add(_ entry: EtcdEntry, to watch: SerialNumber) async throws -> Bool {
      let last = state.withLock { $0.running == watch ? $0.last : nil }
      guard let last, let number = LogKeys.number(in: entry.key) else { return false }
      // A number comes once, unless an older state of the cluster was restored. The callers' read finds out.
      if number <= last { return false }
      let record = try await store.record(last + 1, in: entry)
      var isAdded = false
      wake { state in
        guard state.running == watch else { return }
        isAdded = state.add(record, capacity: Self.capacity)
        if !isAdded { state.running = nil }
      }
      return isAdded
    }

    /// Returns the time after which callers read the log again: they would ask all the time if watches fail at once.
    private func pauseAfterWatch(since start: ContinuousClock.Instant) -> Duration {
      state.withLock { state in
        if ContinuousClock.now - start > Self.longestPause { state.delays = Self.freshDelays }
        return state.delays.next()
      }
    }

    private func end(_ watch: SerialNumber) {
      wake { state in if state.running == watch { state.running = nil } }
    }
  }

  extension RecordFeed.State {
    fileprivate mutating func records(after number: UInt64, maximumBytes: Int) -> [CommitRecord]? {
      guard let first = window.first, number + 1 >= first.number, number < last else { return nil }
      var size = 0
      var records: [CommitRecord] = []
      for record in window[Int(number + 1 - first.number)...] {
        records.append(record)
        size += record.bytes.count
        if size >= maximumBytes { break }
      }
      delivered = max(delivered, records.last?.number ?? 0)
      return records
    }

    /// Returns false if there is no place for a record.
    fileprivate mutating func add(_ record: CommitRecord, capacity: Int) -> Bool {
      let size = record.bytes.count + MemoryLayout<CommitRecord>.size
      if bytes + size > capacity {
        let kept = window.firstIndex { $0.number > delivered } ?? window.count
        for old in window[..<kept] { bytes -= old.bytes.count + MemoryLayout<CommitRecord>.size }
        window.removeFirst(kept)
      }
      if bytes + size > capacity, !window.isEmpty { return false }
      window.append(record)
      bytes += size
      last = record.number
      return true
    }
  }

#endif
