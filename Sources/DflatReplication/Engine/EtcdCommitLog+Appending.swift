#if Etcd

  import DflatCore
  import DflatEtcd

  extension EtcdCommitLog {
    /// Records larger than this are stored in chunks. etcd takes requests of 1.5 MiB.
    static let largestInline = 1 << 20
    private static let pause = Duration.milliseconds(50)
    /// The time by which an append ends later than its deadline if the program's cooperative threads are busy.
    private static let slack = Duration.milliseconds(500)

    func append(_ record: CommitRecord, with turn: Turn, within timeout: Duration) -> AppendOutcome {
      do { try requireOpen() } catch { return .refused(CommitLogError.isClosed) }
      guard let lease = board.read({ $0.held?.turn == turn ? $0.held?.lease : nil }), record.number == turn.head + 1
      else { return .fenced }
      let deadline = ContinuousClock.now + timeout
      let outcome = Blocking.run(within: timeout + Self.slack) { [self] in
        await Append(log: self, turn: turn, lease: lease, deadline: deadline).run(record)
      }
      switch outcome {
      case .success(let outcome): return outcome
      case .failure, nil:
        release(turn.id, head: nil)
        return .unknown(CommitLogError.timedOut)
      }
    }
  }

  /// One append, until its outcome is known or its time is over.
  private struct Append {
    let log: EtcdCommitLog
    let turn: Turn
    let lease: EtcdLease.ID
    let deadline: ContinuousClock.Instant

    private var client: EtcdClient { log.client }
    private var board: TurnBoard { log.board }
    private var timeLeft: Duration { max(.zero, ContinuousClock.now.duration(to: deadline)) }

    func run(_ record: CommitRecord) async -> AppendOutcome {
      if record.bytes.count > EtcdCommitLog.largestInline { return await runInChunks(record) }
      return await append(entry(record, .bytes(record.bytes)))
    }

    private func runInChunks(_ record: CommitRecord) async -> AppendOutcome {
      let writer = ChunkWriter(log.client, .record, record.number, lease: lease)
      // Nothing names the chunks yet, so a failure leaves no record.
      let outcome: AppendOutcome
      do {
        let list = try await limited(to: timeLeft) { try await writer.write(record.bytes) }
        outcome = await append(entry(record, .chunks(list)))
      } catch let error as EtcdError where error.code == .leaseNotFound {
        outcome = fenced()
      } catch { outcome = .refused(CommitLogError(error)) }
      if case .appended = outcome { return outcome }
      log.discard(writer.list)
      return outcome
    }

    private func entry(_ record: CommitRecord, _ content: LogEntry.Content) -> LogEntry {
      LogEntry(number: record.number, writer: record.writer, attempt: .random(in: .min ... .max), content: content)
    }

    private func append(_ entry: LogEntry) async -> AppendOutcome {
      while true {
        let successor = board.read { $0.successor(at: .now) }
        let result: EtcdTransactionResult
        do {
          // Leaves time to find out what became of it.
          result = try await limited(to: timeLeft / 2) { [self] in try await request(entry, passingTo: successor) }
        } catch let error as EtcdError where error.code == .leaseNotFound && successor != nil {
          if let successor { board.update { $0.forget(successor) } }
          continue
        } catch let error as EtcdError where !error.mayHaveTakenEffect {
          return .refused(CommitLogError(error))
        } catch { return await resolve(entry, after: CommitLogError(error)) }
        if result.isSuccess {
          if successor == nil { return appended() }
          board.update { picture in
            picture.abandon(turn.id)
            if let successor { picture.forget(successor) }
          }
          return .appended(nil)
        }
        switch LogState(result.results, entry) {
        case .appended(let id): return id == turn.id ? appended() : passed()
        case .open(turn.id, head: turn.head):
          guard let successor else {
            return .refused(CommitLogError(.unavailable, "the lease ended while the record's chunks were stored"))
          }
          board.update { $0.forget(successor) }
        case .open, .taken: return fenced()
        }
      }
    }

    private func request(
      _ entry: LogEntry, passingTo successor: TurnPicture.Waiter?
    ) async throws -> EtcdTransactionResult {
      var comparisons: [EtcdComparison] = [
        .modRevision(of: LogKeys.turn, .equal, to: turn.id),
        .value(of: LogKeys.head, .equal, to: DecimalNumber.bytes(turn.head)),
      ]
      var operations: [EtcdOperation] = [
        .put(entry.encoded, for: LogKeys.record(entry.number)),
        .put(DecimalNumber.bytes(entry.number), for: LogKeys.head),
      ]
      if let successor {
        comparisons.append(successor.comparison)
        operations += successor.gettingTurn(at: entry.number)
      }
      if case .chunks(let list) = entry.content {
        comparisons.append(.exists(LogKeys.writing(list.id)))
        operations.append(.delete(.key(LogKeys.writing(list.id))))
      }
      return try await client.transaction(if: comparisons, then: operations, else: LogState.reads(entry.number))
    }

    // MARK: Outcomes

    private func appended() -> AppendOutcome { .appended(board.update { $0.appended(with: turn.id) }) }

    private func passed() -> AppendOutcome {
      board.update { $0.abandon(turn.id) }
      return .appended(nil)
    }

    private func fenced() -> AppendOutcome {
      log.release(turn.id, head: nil)
      return .fenced
    }

    /// Finds out what became of an append whose answer was lost.
    ///
    /// If the record isn't there, the request may still be on its way. Deleting the turn makes it fail.
    private func resolve(_ entry: LogEntry, after error: CommitLogError) async -> AppendOutcome {
      // A closed log learns nothing more.
      while timeLeft > .zero, (try? log.requireOpen()) != nil {
        do {
          // A read moves on to an endpoint that answers.
          let read = try await limited(to: timeLeft) { [self] in
            try await client.transaction(then: LogState.reads(entry.number))
          }
          if let outcome = outcome(of: read, entry) { return outcome }
          let fence = try await limited(to: timeLeft) { [self] in
            try await client.transaction(
              if: [
                .modRevision(of: LogKeys.turn, .equal, to: turn.id), .isMissing(LogKeys.record(entry.number)),
              ],
              then: [.delete(.key(LogKeys.turn))], else: LogState.reads(entry.number))
          }
          if fence.isSuccess { return neverAppended(error) }
          if let outcome = outcome(of: fence, entry) { return outcome }
        } catch { try? await pause(for: min(EtcdCommitLog.resolvingPause, timeLeft)) }
      }
      log.release(turn.id, head: nil)
      return .unknown(error)
    }

    private func neverAppended(_ error: CommitLogError) -> AppendOutcome {
      board.update { $0.abandon(turn.id) }
      return .refused(error)
    }

    /// Returns nil if the request may still be carried out.
    private func outcome(of result: EtcdTransactionResult, _ entry: LogEntry) -> AppendOutcome? {
      switch LogState(result.results, entry) {
      case .appended(let id): id == turn.id ? appended() : passed()
      case .open(turn.id, head: _): nil
      case .open(_, head: turn.head): fenced()
      case .open:
        // The head has moved on, and the record is no longer there to be looked at.
        .unknown(CommitLogError(.unavailable, "record \(entry.number) is no longer in the log"))
      case .taken: fenced()
      }
    }
  }

  extension EtcdCommitLog {
    fileprivate static var resolvingPause: Duration { pause }
  }

  /// The state of the log after an append whose outcome is unknown.
  private enum LogState {
    /// The entry is there. The turn's id, or 0 if nobody has it.
    case appended(turn: Int64)
    /// Another entry is there.
    case taken
    /// No entry is there.
    case open(turn: Int64, head: UInt64?)

    static func reads(_ number: UInt64) -> [EtcdOperation] {
      [.get(.key(LogKeys.record(number))), .get(.key(LogKeys.turn)), .get(.key(LogKeys.head))]
    }

    /// - Parameter results: Those of `reads`.
    init(_ results: [EtcdTransactionResult.OperationResult], _ entry: LogEntry) {
      let entries = results.map { result -> EtcdEntry? in
        if case .read(let read) = result { read.entries.first } else { nil }
      }
      let turn = entries.count > 1 ? entries[1]?.modRevision ?? 0 : 0
      if let found = entries.first ?? nil {
        let stored = LogEntry(decoding: found.value)
        self = stored?.attempt == entry.attempt && stored?.writer == entry.writer ? .appended(turn: turn) : .taken
      } else {
        self = .open(turn: turn, head: entries.last.flatMap { $0.flatMap { DecimalNumber.value($0.value) } })
      }
    }
  }

#endif
