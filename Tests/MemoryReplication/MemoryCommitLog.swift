internal import DflatCore

/// One replica's view of a `MemoryCluster`.
final class MemoryCommitLog: CommitLog {
  private let cluster: MemoryCluster
  private let faults: LogFaults
  private let number = SerialNumber()
  private let isClosed = Lock(false)
  private let isInterrupted = Lock(false)

  let engine = "memory"
  let location = "this process"
  let address: String

  init(on cluster: MemoryCluster, address: String, faults: LogFaults) {
    self.cluster = cluster
    self.address = address
    self.faults = faults
  }

  /// Passes a request to the cluster.
  private func request() throws {
    faults.travel()
    if faults.endsTurn() { cluster.expireTurn() }
    try requireConnection()
  }

  /// Passes a request that changes something to the cluster.
  private func requestChange() throws {
    try request()
    if faults.isReadOnly { throw CommitLogError(.denied, "permission denied") }
  }

  /// Passes the cluster's answer to the caller.
  private func answer<T>(_ value: T) throws -> T {
    faults.travel()
    try requireConnection()
    return value
  }

  private func requireConnection() throws {
    if isClosed.withLock({ $0 }) { throw CommitLogError(.closed, "the log is closed") }
    if faults.isCutOff { throw CommitLogError(.unavailable, "the network is down") }
    if faults.isDenied { throw CommitLogError(.denied, "the password is wrong") }
  }

  func status(within timeout: Duration) throws -> CommitLogStatus {
    try request()
    return try answer(cluster.state.withLock { $0.status })
  }

  func create(cluster identity: String, head: UInt64, within timeout: Duration) throws -> CommitLogStatus {
    faults.note(creation: .sent)
    try requestChange()
    let status = cluster.state.withLock { state in
      if state.identity == nil { (state.identity, state.head, state.oldest) = (identity, head, head + 1) }
      return state.status
    }
    faults.note(creation: .arrived)
    return try answer(status)
  }

  // MARK: Following

  func records(
    after number: UInt64, maximumBytes: Int, waiting timeout: Duration, writer: () throws -> Int64?
  ) throws -> [CommitRecord] {
    faults.noteRead()
    try request()
    let writerOfCaller = try writer()
    let wake = Promise<Void>()
    let repeats = faults.repeatsAnswer()
    let found = try cluster.state.withLock { state -> [CommitRecord] in
      try state.require(number, by: writerOfCaller)
      if number + 1 < state.oldest { throw CommitLogError(.trimmed, "record \(number + 1) was trimmed") }
      var (records, size, next) = ([CommitRecord](), 0, number + 1)
      while let record = state.records[next], size < maximumBytes {
        records.append(record)
        size += record.bytes.count
        next += 1
      }
      if repeats, !records.isEmpty, let earlier = state.records[number] { records.insert(earlier, at: 0) }
      if records.isEmpty, timeout > .zero, !isInterrupted.withLock({ $0 }) { state.readers.append((self.number, wake)) }
      return records
    }
    if !found.isEmpty || timeout <= .zero || isInterrupted.withLock({ $0 }) { return try answer(found) }
    wakeLater(after: timeout)
    wake.wait()
    let later = try records(after: number, maximumBytes: maximumBytes, waiting: .zero, writer: writer)
    if later.isEmpty, isInterrupted.withLock(\.self) { throw CommitLogError(.closed, "the wait was interrupted") }
    return later
  }

  func writer(ofRecord number: UInt64, within timeout: Duration) throws -> Int64? {
    try request()
    return try answer(cluster.state.withLock { $0.records[number]?.writer })
  }

  private func wakeLater(after timeout: Duration) {
    TimerQueue.run(after: .milliseconds(Int(timeout / .milliseconds(1)))) { [weak self] in self?.wake() }
  }

  func interrupt() {
    isInterrupted.withLock { $0 = true }
    wake()
  }

  private func wake() {
    let woken = cluster.state.withLock { state in
      let mine = state.readers.filter { $0.log == number }
      state.readers.removeAll { $0.log == number }
      return mine
    }
    for reader in woken { reader.wake.fulfill(()) }
  }

  // MARK: Appending

  func takeTurn(within timeout: Duration) throws -> Turn {
    try requestChange()
    let turn = try waitForTurn(within: timeout)
    do { return try answer(turn) } catch {
      loseTurn(turn)
      throw error
    }
  }

  private func waitForTurn(within timeout: Duration) throws -> Turn {
    let promise = Promise<Turn?>()
    let (turn, wanted) = cluster.state.withLock { state -> (Turn?, (@Sendable () -> Void)?) in
      if state.holder == number { return (Turn(id: state.turn, head: state.head), nil) }
      guard let holder = state.holder else {
        state.turn += 1
        state.holder = number
        return (Turn(id: state.turn, head: state.head), nil)
      }
      state.queue.append((number, promise))
      return (nil, state.turnWanted[holder])
    }
    if let turn { return turn }
    wanted?()
    TimerQueue.run(after: .milliseconds(Int(timeout / .milliseconds(1)))) { [cluster, number] in
      let isWaiting = cluster.state.withLock { state in
        let index = state.queue.firstIndex { $0.turn === promise }
        if let index { state.queue.remove(at: index) }
        return index != nil && state.holder != number
      }
      if isWaiting { promise.fulfill(nil) }
    }
    if let turn = promise.wait() { return turn }
    throw CommitLogError(.busy, "the turn did not come in time")
  }

  func append(_ record: CommitRecord, with turn: Turn, within timeout: Duration) -> AppendOutcome {
    do { try requestChange() } catch {
      return .refused(error as? CommitLogError ?? CommitLogError(.closed, "\(error)"))
    }
    switch faults.nextAppend() {
    case .works, .answerComesLate: return answered(append(record, with: turn))
    case .answerIsLost:
      _ = append(record, with: turn)
      loseTurn(turn)
      return .unknown(CommitLogError(.unavailable, "the answer was lost"))
    case .requestIsLost:
      loseTurn(turn)
      return .unknown(CommitLogError(.unavailable, "the request was lost"))
    case .requestComesLate:
      TimerQueue.run(after: .microseconds(faults.nextDelay())) { [self] in
        if case .appended(let rest?) = append(record, with: turn) { loseTurn(rest) }
      }
      return .unknown(CommitLogError(.unavailable, "the request did not arrive in time"))
    case .turnEnds:
      loseTurn(turn)
      return answered(append(record, with: turn))
    case .refused(let code): return .refused(CommitLogError(code, "planned"))
    }
  }

  /// Passes the outcome of an append to the caller, who never learns it if the connection is lost meanwhile.
  private func answered(_ outcome: AppendOutcome) -> AppendOutcome {
    do { return try answer(outcome) } catch {
      if case .appended(let turn?) = outcome { loseTurn(turn) }
      return .unknown(error as? CommitLogError ?? CommitLogError(.closed, "\(error)"))
    }
  }

  private func append(_ record: CommitRecord, with turn: Turn) -> AppendOutcome {
    let (outcome, wake, pass) = cluster.state.withLock {
      state -> (AppendOutcome, [Promise<Void>], (() -> Void)?) in
      guard state.holder == number, state.turn == turn.id, state.head + 1 == record.number else {
        return (.fenced, [], nil)
      }
      state.head = record.number
      state.records[record.number] = record
      let readers = state.takeReaders()
      if state.queue.isEmpty { return (.appended(Turn(id: turn.id, head: record.number)), readers, nil) }
      state.holder = nil
      return (.appended(nil), readers, state.passTurn())
    }
    pass?()
    for promise in wake { promise.fulfill(()) }
    return outcome
  }

  /// Ends the turn as the end of a lease does, if this log still has it.
  private func loseTurn(_ turn: Turn) {
    let pass = cluster.state.withLock { state -> (() -> Void)? in
      guard state.holder == number, state.turn == turn.id else { return nil }
      state.holder = nil
      return state.passTurn()
    }
    pass?()
  }

  func giveBack(_ turn: Turn) { loseTurn(turn) }

  func onTurnWanted(_ handler: @escaping @Sendable () -> Void) {
    let isWanted = cluster.state.withLock { state in
      state.turnWanted[number] = handler
      return state.holder == number && !state.queue.isEmpty
    }
    if isWanted { handler() }
  }

  // MARK: Snapshots

  func newestSnapshot(within timeout: Duration) throws -> LogSnapshot? {
    try request()
    return try answer(cluster.state.withLock { $0.snapshot?.description })
  }

  func readSnapshot(_ snapshot: LogSnapshot, _ receive: ([UInt8]) throws -> Void) throws {
    try request()
    let replaced = CommitLogError(.trimmed, "the snapshot was replaced")
    guard let stored = cluster.state.withLock({ $0.snapshot }), stored.description == snapshot else { throw replaced }
    for start in stride(from: 0, to: stored.bytes.count, by: 65_536) {
      try answer(())
      try receive([UInt8](stored.bytes[start..<min(start + 65_536, stored.bytes.count)]))
      if faults.replacesSnapshot() { throw replaced }
    }
  }

  func writeSnapshot(of commitNumber: UInt64, _ next: () throws -> [UInt8]?) throws {
    faults.noteUpload()
    var bytes: [UInt8] = []
    while let chunk = try next() {
      try requestChange()
      bytes += chunk
    }
    cluster.state.withLock { state in
      if let newest = state.snapshot, newest.description.commitNumber >= commitNumber { return }
      state.snapshot = (LogSnapshot(commitNumber: commitNumber, size: UInt64(bytes.count)), bytes)
    }
  }

  func claimingSnapshot(within timeout: Duration, _ make: () throws -> Void) throws -> Bool {
    try requestChange()
    let isMine = cluster.state.withLock { state in
      if state.snapshotter == nil {
        state.snapshotter = number
        return true
      }
      state.refusedSnapshotters += 1
      return false
    }
    guard isMine else { return try answer(false) }
    defer { cluster.state.withLock { $0.snapshotter = nil } }
    try make()
    return true
  }

  func trim(through commitNumber: UInt64) throws {
    try requestChange()
    cluster.state.withLock { state in
      for number in state.oldest..<max(state.oldest, commitNumber + 1) { state.records[number] = nil }
      state.oldest = max(state.oldest, commitNumber + 1)
    }
  }

  func report(within timeout: Duration) throws -> CommitLogReport {
    try request()
    return cluster.state.withLock { state in
      CommitLogReport(
        status: state.status, snapshot: state.snapshot?.description, holder: state.holder.map { "\($0)" },
        waiters: state.queue.map { "\($0.log)" }, members: [], alarms: [])
    }
  }

  func close() {
    isClosed.withLock { $0 = true }
    interrupt()
    let pass = cluster.state.withLock { state -> (() -> Void)? in
      state.turnWanted[number] = nil
      if state.holder == number { state.holder = nil }
      return state.passTurn()
    }
    pass?()
  }
}

extension MemoryCluster.State {
  fileprivate var status: CommitLogStatus { CommitLogStatus(cluster: identity, head: head, oldest: oldest) }

  /// Throws if the record of a caller isn't in the log, but an older state or another record.
  fileprivate func require(_ number: UInt64, by writer: Int64?) throws {
    if number > head { throw CommitLogError(.restored, "its newest record is \(head), and the caller has \(number)") }
    if let writer, let record = records[number], record.writer != writer {
      throw CommitLogError(.restored, "record \(number) is another one than the caller's")
    }
  }
}
