import Dispatch
import DflatSQLite
import Synchronization

/// Some of the read connections. Taken out by one thread at a time, last in first out, made when none is idle.
///
/// A reader comes back with its view still open, because taking SQLite's read lock costs more than a lookup; a sweep
/// closes the views of readers that have been idle, and lets those that are busy renew theirs, so that no view is older
/// than about two sweeps.
final class ReaderStack: Sendable {
  private struct State {
    var idle: [Reader] = []
    var busy: [Reader] = []
    var isSweepDue = false
    var isClosed = false
    var onAllReturned: [@Sendable () -> Void] = []
    /// Readers that are being made.
    var connecting = 0

    /// Readers come back in any order, but the newest first as a rule.
    mutating func remove(_ reader: Reader) {
      if busy.last === reader { busy.removeLast() } else { busy.removeAll { $0 === reader } }
    }

    /// Who waits for the last reader, if it has come back.
    mutating func takeWaiting() -> [@Sendable () -> Void] {
      guard isClosed, busy.isEmpty, connecting == 0 else { return [] }
      defer { onAllReturned = [] }
      return onAllReturned
    }
  }

  private static let maximumIdle = 2
  private static let sweepInterval = DispatchTimeInterval.milliseconds(25)

  private let state = Lock(State())
  private let number: Int
  private let connect: @Sendable () throws -> Connection

  init(number: Int, connect: @escaping @Sendable () throws -> Connection) {
    self.number = number
    self.connect = connect
  }

  /// Takes a reader out.
  func take() throws -> Reader {
    let found: Reader? = try state.withLock { state in
      if state.isClosed { throw WorkspaceError.isShutdown }
      guard let reader = state.idle.popLast() else {
        state.connecting += 1
        return nil
      }
      state.busy.append(reader)
      return reader
    }
    if let found { return found }
    let connected = Result { Reader(connection: try connect(), stack: number) }
    let resumed: [@Sendable () -> Void] = state.withLock { state in
      state.connecting -= 1
      if case .success(let reader) = connected { state.busy.append(reader) }
      return state.takeWaiting()
    }
    for resume in resumed { resume() }
    return try connected.get()
  }

  /// Gives a reader back; one that failed is not used again.
  func giveBack(_ reader: Reader, isBroken: Bool = false) {
    // After some errors SQLite ends a transaction by itself: what it would read next is another view.
    if reader.view != nil, !reader.connection.isInTransaction { reader.close() }
    var sweeps = false
    let isKept = state.withLock { state in
      guard !state.isClosed, !isBroken, state.idle.count < Self.maximumIdle else { return false }
      state.remove(reader)
      state.idle.append(reader)
      sweeps = reader.view != nil && !state.isSweepDue
      if sweeps { state.isSweepDue = true }
      return true
    }
    if sweeps { scheduleSweep() }
    if isKept { return }
    // Closed before anyone is told that it came back: the file may be closed, or deleted, right then.
    reader.disconnect()
    let waiting: [@Sendable () -> Void] = state.withLock { state in
      state.remove(reader)
      return state.takeWaiting()
    }
    for resume in waiting { resume() }
  }

  private func scheduleSweep() {
    TimerQueue.run(after: Self.sweepInterval) { [self] in sweep() }
  }

  private func sweep() {
    let again = state.withLock { state in
      for reader in state.idle where reader.view != nil { reader.close() }
      for reader in state.busy { reader.isExpired.store(true, ordering: .relaxed) }
      state.isSweepDue = !state.busy.isEmpty && !state.isClosed
      return state.isSweepDue
    }
    if again { scheduleSweep() }
  }

  /// Closes the views of idle readers now: a checkpoint is about to run.
  func releaseViews() {
    state.withLock { state in for reader in state.idle { reader.close() } }
  }

  /// Closes the idle connections, so that a new one sees the file anew.
  func dropIdle() {
    let dropped = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for reader in dropped { reader.disconnect() }
  }

  /// Gives out no more readers, and runs `completion` when the last one has come back.
  func close(completion: @escaping @Sendable () -> Void) {
    let dropped = state.withLock { state in
      state.isClosed = true
      state.onAllReturned.append(completion)
      defer { state.idle = [] }
      return state.idle
    }
    for reader in dropped { reader.disconnect() }
    for resume in state.withLock({ $0.takeWaiting() }) { resume() }
  }
}
