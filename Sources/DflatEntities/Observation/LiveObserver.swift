import DflatCore
import DflatSQLite

/// One subscription to entities: its current state, and its moves from commit to commit. Everything but the callbacks
/// is guarded by the publication lock.
class LiveObserver: @unchecked Sendable {  // guarded as stated above
  let entity: EntityDescription
  /// True if the observer missed a change. It takes no changes until it is compared with the file at the next
  /// opportunity.
  final var isBehind = false
  /// The group (`Group.writer`) that has not committed the observer's state yet. The observer stays stale until the
  /// group has ended.
  final var pendingIn: Int64?

  init(_ entity: EntityDescription) { self.entity = entity }

  /// Compares the observer with the file. Returns the step to its state at a commit, or nil if it shows that state.
  /// Moves nothing.
  ///
  /// - Parameters:
  ///   - connection: A connection whose view shows the commit; nil while there is no file.
  ///   - commitNumber: The commit.
  ///   - storage: The workspace's storage.
  func refetched(
    on connection: Connection?, at commitNumber: UInt64, for storage: EntityStorage
  ) throws -> ObserverUpdate? {
    preconditionFailure("A subclass must override this method.")
  }

  /// Ends the subscription.
  func end() { preconditionFailure("A subclass must override this method.") }
}

/// The move of one observer to a commit, to be made after the COMMIT.
struct ObserverUpdate {
  let observer: LiveObserver
  /// Moves the observer. Returns the callback that is due, if any.
  let install: () -> Delivery?
  /// True if the subscription ends with this step.
  var isLast = false
}

/// The moves of all observers to a commit.
struct ObserverUpdates {
  private(set) var steps: [ObserverUpdate] = []
  /// The observers whose next state could not be computed, with the error.
  private(set) var failures: [(observer: LiveObserver, error: any Error)] = []
  /// The observers that are no longer stale, with or without an update.
  private(set) var caughtUp: [LiveObserver] = []

  mutating func add(_ observer: LiveObserver, _ step: () throws -> ObserverUpdate?) {
    do { if let step = try step() { steps.append(step) } } catch { failures.append((observer, error)) }
  }

  /// Compares an observer with the file and adds its step.
  mutating func refetch(
    _ observer: LiveObserver, on connection: Connection?, at commitNumber: UInt64, for storage: EntityStorage
  ) {
    do {
      if let step = try observer.refetched(on: connection, at: commitNumber, for: storage) { steps.append(step) }
      caughtUp.append(observer)
    } catch { failures.append((observer, error)) }
  }

  /// Throws the error of a connection that failed, if any. A row that can't be decoded doesn't prevent the publication
  /// of a commit.
  func requireReadable() throws {
    for (_, error) in failures where error is SQLiteError || (error as? WorkspaceError)?.sqlite != nil { throw error }
  }

  mutating func fail(_ observers: some Sequence<LiveObserver>, because error: any Error) {
    for observer in observers { failures.append((observer, error)) }
  }
}
