#if Etcd

  import DflatCore
  import DflatEtcd

  /// Owns the picture of the turn, keeps it up to date by a watch, and tells those who wait for a change.
  final class TurnBoard: Sendable {
    private struct State {
      var picture: TurnPicture
      var listeners: [SerialNumber: AsyncStream<Void>.Continuation] = [:]
      /// The calls that wait for the turn.
      var takers: Set<SerialNumber> = []
      /// True while a place in the queue that no call needs is given up.
      var isLeaving = false
      var onTurnWanted: (@Sendable () -> Void)?
      /// The turn whose holder is being told that others want it.
      var announced: Int64?
      var watcher: Task<Void, Never>?
      var isClosed = false

      /// The place of this process if no call waits for the turn any more.
      var abandonedPlace: TurnPicture.Waiter? { takers.isEmpty ? picture.place : nil }
    }

    private struct Handlers {
      /// Gives back a turn that this process was given too late.
      var stray: (@Sendable (Int64) -> Void)?
      /// Gives up this process's place in the queue.
      var abandonedPlace: (@Sendable () -> Void)?
    }

    /// The time after which a holder that others wait for is told again.
    private static let reminder = Duration.milliseconds(100)
    /// The bound of the pauses after which a watch that has failed is set up again: less than transactions wait for the
    /// turn.
    private static let longestPause = Duration.seconds(1)

    private let client: EtcdClient
    private let state: Lock<State>
    private let handlers = Lock(Handlers())

    init(client: EtcdClient, me: String) {
      self.client = client
      state = Lock(State(picture: TurnPicture(me: me)))
    }

    func onStrayTurn(_ handler: @escaping @Sendable (Int64) -> Void) { handlers.withLock { $0.stray = handler } }

    func onAbandonedPlace(_ handler: @escaping @Sendable () -> Void) {
      handlers.withLock { $0.abandonedPlace = handler }
    }

    func onTurnWanted(_ handler: @escaping @Sendable () -> Void) {
      state.withLock { $0.onTurnWanted = handler }
      update { _ in }
    }

    // MARK: The picture

    func read<Value>(_ body: (TurnPicture) -> Value) -> Value { state.withLock { body($0.picture) } }

    /// Changes the picture, and does what follows from the change.
    @discardableResult
    func update<Value>(_ body: (inout TurnPicture) -> Value) -> Value {
      let (value, listeners, stray, leaves, wanted) = state.withLock { state in
        let value = body(&state.picture)
        let stray = state.takers.isEmpty ? state.picture.strayTurn : nil
        let leaves = !state.isLeaving && state.abandonedPlace != nil
        if leaves { state.isLeaving = true }
        var wanted: TurnPicture.Held?
        if state.picture.isWanted, let held = state.picture.held, state.announced != held.turn.id,
          state.onTurnWanted != nil
        {
          state.announced = held.turn.id
          wanted = held
        }
        return (value, Array(state.listeners.values), stray, leaves, wanted)
      }
      for listener in listeners { listener.yield() }
      if let stray { handlers.withLock(\.stray)?(stray) }
      if leaves { handlers.withLock(\.abandonedPlace)?() }
      if let wanted { announce(wanted) }
      return value
    }

    /// Tells the holder that others wait, once it has had the turn for its least time, until it gives it back.
    private func announce(_ held: TurnPicture.Held) {
      Task(executorPreference: LogExecutor.shared) { [weak self] in
        try? await pause(for: ContinuousClock.now.duration(to: held.since + TurnPicture.minimumHold))
        while let handler = self?.handler(while: held.turn.id) {
          Threads.run(handler)
          try? await pause(for: Self.reminder)
        }
      }
    }

    private func handler(while id: Int64) -> (@Sendable () -> Void)? {
      state.withLock { state in
        guard !state.isClosed, state.picture.isWanted, state.picture.held?.turn.id == id else {
          if state.announced == id { state.announced = nil }
          return nil
        }
        return state.onTurnWanted
      }
    }

    // MARK: Taking

    func beginTaking() -> SerialNumber {
      let taker = SerialNumber()
      state.withLock { _ = $0.takers.insert(taker) }
      return taker
    }

    /// Ends a call that waits for the turn. Returns the turn if this process has it: it may have come in the last moment.
    func endTaking(_ taker: SerialNumber) -> Turn? {
      state.withLock { _ = $0.takers.remove(taker) }
      return update { $0.held?.turn }
    }

    /// Returns this process's place in the queue if no call waits for the turn any more. After nil, the handler of
    /// `onAbandonedPlace` is called for the next such place.
    func nextAbandonedPlace() -> TurnPicture.Waiter? {
      state.withLock { state in
        let place = state.abandonedPlace
        if place == nil { state.isLeaving = false }
        return place
      }
    }

    /// Uses a turn that came, unless the call that waited for it has ended.
    func hold(_ turn: Turn, lease: EtcdLease.ID, for taker: SerialNumber) {
      let isAwaited = state.withLock { state in
        if state.takers.contains(taker) { state.picture.hold(turn, lease: lease, now: .now) }
        return state.takers.contains(taker)
      }
      update { _ in }
      if !isAwaited { handlers.withLock(\.stray)?(turn.id) }
    }

    /// Returns a stream that has an element after each change from now on; several changes may have one. It ends when the
    /// log is closed.
    func changes() -> AsyncStream<Void> {
      let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let number = SerialNumber()
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
      }
      let isClosed = state.withLock { state in
        if !state.isClosed { state.listeners[number] = continuation }
        return state.isClosed
      }
      if isClosed { continuation.finish() }
      return stream
    }

    // MARK: Watching

    /// Starts to follow the keys. Does nothing after the first call.
    func startWatching() {
      state.withLock { state in
        if state.watcher != nil || state.isClosed { return }
        state.watcher = Task(executorPreference: LogExecutor.shared) { [weak self, client] in
          var delays = RetryDelays(longest: Self.longestPause)
          while !Task.isCancelled {
            let start = ContinuousClock.now
            // Whatever ends the watch, calls that need the cluster report it themselves.
            try? await Self.follow(client) { self }
            // A watch that lasted was none that fails again and again.
            if ContinuousClock.now - start > Self.longestPause { delays = RetryDelays(longest: Self.longestPause) }
            try? await pause(for: delays.next())
          }
        }
      }
    }

    /// Reads the keys, and follows them until the watch is interrupted: the cluster may have been restored meanwhile.
    private static func follow(_ client: EtcdClient, _ board: () -> TurnBoard?) async throws {
      let known = board()?.read(\.revision) ?? 0
      let read = try await client.get(LogKeys.turnAndWaiters)
      board()?.update { $0.load(read.entries, at: read.revision, since: known) }
      for try await changes in client.watch(LogKeys.turnAndWaiters, after: read.revision).endingWhenInterrupted() {
        board()?.update { $0.apply(changes.events, through: changes.revision) }
      }
    }

    func close() {
      let (listeners, watcher) = state.withLock { state in
        state.isClosed = true
        defer { (state.listeners, state.onTurnWanted) = ([:], nil) }
        return (Array(state.listeners.values), state.watcher)
      }
      watcher?.cancel()
      for listener in listeners { listener.finish() }
    }
  }

#endif
