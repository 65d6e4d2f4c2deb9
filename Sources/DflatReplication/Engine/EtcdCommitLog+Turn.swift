#if Etcd

  import DflatCore
  import DflatEtcd

  extension EtcdCommitLog {
    /// The pause after a call that has failed.
    private static let timeBetweenAttempts = Duration.milliseconds(100)
    /// The longest pause between calls by which other processes get the turn.
    private static let pauseWhileOthersWait = Duration.milliseconds(500)

    // MARK: Taking

    func takeTurn(within timeout: Duration) throws -> Turn {
      try requireOpen()
      if let turn = board.read({ $0.held?.turn }) { return turn }
      let taker = board.beginTaking()
      let obstacle = Lock(CommitLogError.timedOut)
      let result = Blocking.run(within: timeout) { [self] in try await turn(for: taker, obstacle) }
      // Also gives up the place in the queue.
      if let turn = board.endTaking(taker) { return turn }
      try requireOpen()
      if case .failure(let error) = result, !(error is CancellationError) { throw CommitLogError(error) }
      throw obstacle.withLock(\.self)
    }

    /// Waits for the turn, until it is there or the task is cancelled.
    ///
    /// - Parameter obstacle: The error if the time is over now.
    private func turn(for taker: SerialNumber, _ obstacle: Lock<CommitLogError>) async throws -> Turn {
      board.startWatching()
      // Changes after this line are in the stream, so none is missed between a step and the wait for the next change.
      var changes = board.changes().makeAsyncIterator()
      while true {
        try Task.checkCancellation()
        try requireOpen()
        var lease: EtcdLease.ID?
        // The lease has ended during a wait, perhaps because the cluster is gone.
        obstacle.withLock { if $0.code == .busy { $0 = .timedOut } }
        do {
          let current = try await leases.current()
          lease = current
          let step = board.read { $0.step(with: current) }
          obstacle.withLock { $0 = step == .wait ? .turnWasKept : .timedOut }
          switch step {
          case .use(let turn): return turn
          case .adopt(let holder): try await adopt(holder, with: current, for: taker)
          case .take(let waiter): try await take(as: waiter, for: taker)
          case .queue: try await queue(with: current)
          case .wait: if await changes.next() == nil { throw CommitLogError.turnWasKept }
          }
        } catch let error as EtcdError {
          try Task.checkCancellation()
          let failure = CommitLogError(error)
          guard failure.code == .unavailable else { throw failure }
          obstacle.withLock { $0 = failure }
          if error.code == .leaseNotFound, let lease {
            await leases.lose(lease)
          } else {
            try await pause(for: Self.timeBetweenAttempts)
          }
          // The call may have been carried out.
          if error.mayHaveTakenEffect { try? await refresh() }
        }
      }
    }

    private func refresh() async throws {
      let known = board.read(\.revision)
      let read = try await client.get(LogKeys.turnAndWaiters)
      board.update { $0.load(read.entries, at: read.revision, since: known) }
    }

    private func queue(with lease: EtcdLease.ID) async throws {
      let known = board.read(\.revision)
      let value = TurnValue(process: me).encoded
      let result = try await client.transaction(
        then: [.put(value, for: LogKeys.wait(lease), lease: lease), .get(LogKeys.turnAndWaiters)])
      load(result.results.last, at: result.revision, since: known)
    }

    private func load(_ result: EtcdTransactionResult.OperationResult?, at revision: Int64, since known: Int64) {
      guard case .read(let read) = result else { return }
      board.update { $0.load(read.entries, at: revision, since: known) }
    }

    private func take(as waiter: TurnPicture.Waiter, for taker: SerialNumber) async throws {
      let known = board.read(\.revision)
      let place = LogKeys.wait(waiter.lease)
      let result = try await client.transaction(
        if: [.isMissing(LogKeys.turn), .createRevision(of: place, .equal, to: waiter.place)],
        then: [
          .put(TurnValue(process: me).encoded, for: LogKeys.turn, lease: waiter.lease), .delete(.key(place)),
          .get(.key(LogKeys.head)),
        ],
        else: [.get(LogKeys.turnAndWaiters)])
      guard result.isSuccess else { return load(result.results.last, at: result.revision, since: known) }
      board.update { $0.forget(waiter) }
      try await hold(result.revision, head: EntryStore.head(in: result.results.last), with: waiter.lease, for: taker)
    }

    /// Uses the turn that another process has handed over. Nobody else can append now, so the head doesn't change.
    private func adopt(
      _ holder: TurnPicture.Holder, with lease: EtcdLease.ID, for taker: SerialNumber
    ) async throws {
      if let head = holder.head { return try await hold(holder.id, head: head, with: lease, for: taker) }
      let entry = try await client.get(LogKeys.head)
      try await hold(holder.id, head: EntryStore.head(in: entry), with: lease, for: taker)
    }

    private func hold(
      _ id: Int64, head: @autoclosure () throws -> UInt64, with lease: EtcdLease.ID, for taker: SerialNumber
    ) async throws {
      do { board.hold(Turn(id: id, head: try head()), lease: lease, for: taker) } catch {
        release(id, head: nil)
        throw error
      }
    }

    /// Gives up the places in the queue that no call of this process needs, in the background: as long as one is the first,
    /// nobody takes a free turn. A turn that comes meanwhile is given back at once. If the user has no right to that
    /// any more, the places end with the lease.
    func leaveQueue() {
      repeatInBackground(longestPause: Self.pauseWhileOthersWait) { log in
        guard let place = log.board.nextAbandonedPlace() else { return true }
        do {
          _ = try await log.client.transaction(
            if: [place.comparison], then: [.delete(.key(LogKeys.wait(place.lease)))])
        } catch let error as EtcdError where error.isDenial {
          await log.leases.abandon()
          throw CommitLogError(error)
        }
        log.board.update { $0.forget(place) }
        return false
      }
    }

    // MARK: Giving back

    func giveBack(_ turn: Turn) { release(turn.id, head: turn.head) }

    /// Ends the use of a turn at once, and in the background passes it to the next process or deletes it. If the user
    /// has no right to that any more, the turn ends with its lease.
    ///
    /// - Parameter head: The log's head; nil if it isn't known for certain.
    func release(_ id: Int64, head: UInt64?) {
      board.update { $0.abandon(id) }
      repeatInBackground(longestPause: Self.pauseWhileOthersWait) { log in
        do { return try await log.pass(id, head: head) } catch let error as EtcdError where error.isDenial {
          await log.leases.abandon()
          return true
        }
      }
    }

    /// Returns true if this process no longer has the turn.
    private func pass(_ id: Int64, head: UInt64?) async throws -> Bool {
      var comparisons: [EtcdComparison] = [.modRevision(of: LogKeys.turn, .equal, to: id)]
      var operations: [EtcdOperation] = [.delete(.key(LogKeys.turn))]
      let heir = board.read(\.heir)
      if let heir {
        comparisons.append(heir.comparison)
        operations = heir.gettingTurn(at: head)
      }
      do {
        let result = try await client.transaction(
          if: comparisons, then: operations, else: [.get(.key(LogKeys.turn))])
        if result.isSuccess { return true }
        guard case .read(let read) = result.results.last, read.entries.first?.modRevision == id else { return true }
      } catch let error as EtcdError where error.code == .leaseNotFound {}
      if let heir { board.update { $0.forget(heir) } }
      return false
    }
  }

  extension TurnPicture.Waiter {
    /// True if the process still waits.
    var comparison: EtcdComparison { .createRevision(of: LogKeys.wait(lease), .equal, to: place) }

    /// Gives the process the turn instead of its place in the queue.
    func gettingTurn(at head: UInt64?) -> [EtcdOperation] {
      [
        .put(TurnValue(process: process, head: head).encoded, for: LogKeys.turn, lease: lease),
        .delete(.key(LogKeys.wait(lease))),
      ]
    }
  }

#endif
