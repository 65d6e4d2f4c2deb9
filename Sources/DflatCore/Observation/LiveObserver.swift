import DflatSQLite

/// One subscription to entities: what it shows, and how that follows the commits. All of it, but for the callbacks, is
/// guarded by the publication lock.
class LiveObserver: @unchecked Sendable {  // see above
  let entity: EntityDescription
  /// It missed something: it is to be compared with the file at the next chance, and takes no single changes until then.
  final var isBehind = false
  /// The group that has not committed yet what it shows: it stays behind until that has ended (`Group.writer`).
  final var pendingIn: Int64?

  init(_ entity: EntityDescription) { self.entity = entity }

  /// What it shows at a commit, read from a connection whose view shows that, or from none while there is no file; nil when
  /// that is what it shows. Moves nothing.
  func refetched(on connection: Connection?, at commitNumber: UInt64, for core: WorkspaceCore) throws -> LiveStep? {
    preconditionFailure("Every observer can be brought up to date.")
  }

  /// Nothing more comes.
  func end() { preconditionFailure("Every observer ends.") }
}

/// What one observer moves to when the commit has happened.
struct LiveStep {
  let observer: LiveObserver
  /// Moves it. The callback that is due, if any.
  let install: () -> Delivery?
  /// Nothing more comes after it.
  var isLast = false
}

/// What the observers move to together.
struct LiveSteps {
  private(set) var steps: [LiveStep] = []
  /// Those that could not be brought forward, and why.
  private(set) var failures: [(observer: LiveObserver, error: any Error)] = []
  /// Those that are no longer behind, moved or not.
  private(set) var caughtUp: [LiveObserver] = []

  mutating func add(_ observer: LiveObserver, _ step: () throws -> LiveStep?) {
    do { if let step = try step() { steps.append(step) } } catch { failures.append((observer, error)) }
  }

  /// Compares an observer with the file.
  mutating func refetch(
    _ observer: LiveObserver, on connection: Connection?, at commitNumber: UInt64, for core: WorkspaceCore
  ) {
    do {
      if let step = try observer.refetched(on: connection, at: commitNumber, for: core) { steps.append(step) }
      caughtUp.append(observer)
    } catch { failures.append((observer, error)) }
  }

  /// Throws when a connection failed. That a row can't be decoded is no reason not to publish a commit.
  func requireReadable() throws {
    for (_, error) in failures where error is SQLiteError || (error as? WorkspaceError)?.sqlite != nil { throw error }
  }

  mutating func fail(_ observers: some Sequence<LiveObserver>, because error: any Error) {
    for observer in observers { failures.append((observer, error)) }
  }
}
