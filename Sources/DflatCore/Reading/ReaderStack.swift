import Dispatch
import DflatSQLite
import Synchronization

/// A stack of read connections. One thread at a time uses a connection; the last one in is the first one out, and a new
/// one is opened if none is idle.
///
/// A reader comes back with its view still open, because taking SQLite's read lock costs more than a lookup. A sweep
/// closes the views of idle readers and lets busy readers renew theirs, so that no view is older than about two sweeps.
final class ReaderStack: Sendable {
  private struct State {
    var idle: [Reader] = []
    var busy: [Reader] = []
    var isSweepDue = false
    var isClosed = false
    var onAllReturned: [@Sendable () -> Void] = []
    /// The number of readers that are being opened.
    var connecting = 0

    /// Removes a busy reader. Readers come back in any order, but usually the newest comes first.
    mutating func remove(_ reader: Reader) {
      if busy.last === reader { busy.removeLast() } else { busy.removeAll { $0 === reader } }
    }

    /// Returns the actions that wait for the last reader, if it is back.
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

  /// Takes a reader out of the stack, or opens one.
  ///
  /// - Throws: ``WorkspaceError`` with code `.shutdown` after the stack is closed, or the error of opening a
  ///   connection.
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
    let connected = Result { try Reader(stack: number, connect: connect) }
    let resumed: [@Sendable () -> Void] = state.withLock { state in
      state.connecting -= 1
      if case .success(let reader) = connected { state.busy.append(reader) }
      return state.takeWaiting()
    }
    for resume in resumed { resume() }
    return try connected.get()
  }

  /// Returns a reader to the stack. A broken one, and one whose connection failed, isn't used again.
  func giveBack(_ reader: Reader, isBroken: Bool = false) {
    // Some callers handle a read error themselves, so ask the connection, too. SQLite has ended the view after some
    // errors.
    let isBroken = isBroken || reader.connection.hasFailed
    // Keep the reader if there is room.
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
    // Disconnect before anybody learns that the reader is back: the file may then be closed or deleted at once.
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

  /// Closes the views of idle readers, and lets busy readers renew theirs.
  private func sweep() {
    let again = state.withLock { state in
      for reader in state.idle where reader.view != nil { reader.close() }
      for reader in state.busy { reader.isExpired.store(true, ordering: .relaxed) }
      state.isSweepDue = !state.busy.isEmpty && !state.isClosed
      return state.isSweepDue
    }
    if again { scheduleSweep() }
  }

  /// Closes the views of idle readers right before a checkpoint.
  func releaseViews() {
    state.withLock { state in for reader in state.idle { reader.close() } }
  }

  /// Closes the idle connections, so that new ones read the file from scratch.
  func dropIdle() {
    let dropped = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for reader in dropped { reader.disconnect() }
  }

  /// Stops lending readers, and runs `completion` after all connections are closed.
  func close(completion: @escaping @Sendable () -> Void) {
    let dropped = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for reader in dropped { reader.disconnect() }
    // Register the completion only now: the last busy reader may have come back while the idle ones disconnected.
    let waiting: [@Sendable () -> Void] = state.withLock { state in
      state.onAllReturned.append(completion)
      return state.takeWaiting()
    }
    for resume in waiting { resume() }
  }
}
