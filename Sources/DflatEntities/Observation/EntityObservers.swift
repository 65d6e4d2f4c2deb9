import DflatBuffers
import DflatCore
import DflatSQLite
import Synchronization

/// The observers of a workspace's entities.
///
/// Their state moves under the publication lock, and callbacks run on the delivery queue (A11). Right before a COMMIT,
/// the observers' next states are computed on the connection that shows it; they take effect after the COMMIT. An
/// observer whose next state can't be computed, or that was added in between, is *stale*: it is compared with the file
/// at the next opportunity.
final class EntityObservers: Sendable {
  unowned(unsafe) let core: WorkspaceCore
  private let storage: EntityStorage
  let state = ObservationState()
  /// The cancelled observers that have not been removed yet.
  private let cancelled = Lock<[LiveObserver]>([])
  /// The queries of observed closures, by observation.
  private let tracked = Lock<[ObjectIdentifier: [TrackedQuery: TrackedRows]]>([:])
  /// The open group (`Group.writer`), if an observer waits for its end, or 0.
  private let pendingGroup = Atomic<Int64>(0)

  init(core: WorkspaceCore, storage: EntityStorage) {
    self.core = core
    self.storage = storage
  }

  // MARK: Adding and removing

  /// Adds the observer that `make` creates and moves it to the published commit. The handler gets this state if it
  /// differs. Every later publication moves it: no change is lost or delivered twice (A4).
  ///
  /// - Parameters:
  ///   - group: The open group, whose write token this thread holds, if the observer shows the group's uncommitted
  ///     state. The observer then keeps this state until the group has ended.
  ///   - make: Creates the observer, with a connection at the published commit.
  /// - Returns: The observer, or nil if the workspace is closing.
  func add(pendingIn group: Group?, _ make: (Connection?) throws -> LiveObserver) throws -> LiveObserver? {
    try core.withPublishedView { connection in
      guard core.isOpen else { return nil }
      let observer = try make(connection)
      var steps = ObserverUpdates()
      if group == nil { steps.refetch(observer, on: connection, at: core.publication.published, for: storage) }
      try connection?.requireUnchangedFile()
      drop()
      enter(observer)
      if let group {
        observer.pendingIn = group.writer
        setBehind(observer)
        pendingGroup.store(group.writer, ordering: .releasing)
      }
      deliverNow(install(steps))
      return observer
    }
  }

  /// Adds an observer that could not be compared with the file. Returns false if the workspace is closing.
  func addBehind(_ observer: LiveObserver) -> Bool {
    core.publication.withPublicationLock {
      guard core.isOpen else { return false }
      enter(observer)
      setBehind(observer)
      return true
    }
  }

  private func enter(_ observer: LiveObserver) {
    let table = state.tables[observer.entity.number] ?? ObservedTable(observer.entity)
    state.tables[observer.entity.number] = table
    table.add(observer)
    state.version += 1
    if table.hasQueries { storage.queriedTables.withLock { _ = $0.insert(observer.entity.number) } }
  }

  /// Removes an observer whose callbacks are gone, on the delivery queue or before the next commit, whichever comes
  /// first.
  func remove(_ observer: LiveObserver) {
    if core.isForked { return }
    let isFirst = cancelled.withLock { cancelled in
      cancelled.append(observer)
      return cancelled.count == 1
    }
    guard isFirst else { return }
    core.delivery.enqueue(for: core) { [core, self] in
      core.publication.withPublicationLock { drop() }
    }
  }

  /// Removes the cancelled observers.
  func drop() {
    let gone = cancelled.withLock { cancelled in
      defer { cancelled = [] }
      return cancelled
    }
    for observer in gone { leave(observer) }
  }

  private func leave(_ observer: LiveObserver) {
    let number = observer.entity.number
    guard let table = state.tables[number] else { return }
    table.remove(observer)
    if observer.isBehind { clearBehind(observer) }
    if !table.hasQueries { storage.queriedTables.withLock { _ = $0.remove(number) } }
    if table.isEmpty { state.tables[number] = nil }
  }

  // MARK: Observed closures

  /// Replaces the queries that are tracked for an observation. The calls for one observation don't overlap.
  ///
  /// - Returns: True if there are queries that were not tracked before.
  func track(_ queries: [TrackedQuery: EntityDescription], for observer: ReadObserver) -> Bool {
    let id = ObjectIdentifier(observer)
    let known = tracked.withLock { $0[id] } ?? [:]
    let added = queries.filter { known[$0.key] == nil }
    let gone = known.filter { queries[$0.key] == nil }
    if added.isEmpty, gone.isEmpty { return false }
    var all = known.filter { queries[$0.key] != nil }
    core.publication.withPublicationLock {
      drop()
      for rows in gone.values { leave(rows) }
      for (query, entity) in added {
        let rows = TrackedRows(entity, where: query.predicate, for: observer)
        enter(rows)
        all[query] = rows
      }
    }
    tracked.withLock { $0[id] = all.isEmpty ? nil : all }
    return !added.isEmpty
  }

  // MARK: Commits

  /// Returns the steps that move the observers when these changes, which the connection shows, are committed. Moves
  /// nothing.
  func prepare(_ changes: [Int: TableChange], at commitNumber: UInt64, on connection: Connection) -> PreparedSteps {
    drop()
    let steps = steps(for: changes, at: commitNumber, on: connection)
    return PreparedSteps(steps, tables: Array(changes.keys), version: state.version)
  }

  /// Moves the observers by the prepared steps after the COMMIT. Returns the callbacks that are due.
  func publish(_ prepared: PreparedSteps?, at commitNumber: UInt64) -> [Delivery] {
    pendingGroup.store(0, ordering: .releasing)
    guard let prepared else { return [] }
    if prepared.version == state.version { return install(prepared.steps) }
    // An observer was added or another commit published since the preparation, because the outcome of this commit had
    // to be looked up. Compare the tables' observers with the file.
    state.version += 1
    for number in prepared.tables { for observer in state.tables[number]?.observers ?? [] { setBehind(observer) } }
    catchUpLater()
    return []
  }

  /// Returns the updates of the observers whose tables changed, and of all that are stale. Those that wait for a group
  /// are included: either the commit is their group's, or that group has ended, because no other process can commit
  /// while it is open.
  func steps(
    for changes: [Int: TableChange], at commitNumber: UInt64, on connection: Connection
  ) -> ObserverUpdates {
    var steps = ObserverUpdates()
    for (number, changes) in changes {
      state.tables[number]?.move(changes, at: commitNumber, on: connection, for: storage, into: &steps)
    }
    for observer in state.stale.values {
      steps.refetch(observer, on: connection, at: commitNumber, for: storage)
    }
    return steps
  }

  func install(_ steps: ObserverUpdates) -> [Delivery] {
    state.version += 1
    var deliveries: [Delivery] = []
    for step in steps.steps {
      if let delivery = step.install() { deliveries.append(delivery) }
      if step.isLast { leave(step.observer) }
    }
    for observer in steps.caughtUp where observer.isBehind { clearBehind(observer) }
    // Report one error for each table: one row may fail a thousand live queries.
    var reported: Set<Int> = []
    for (observer, error) in steps.failures where !observer.isBehind {
      if reported.insert(observer.entity.number).inserted { report(error, of: observer.entity) }
      setBehind(observer)
    }
    if !reported.isEmpty { catchUpLater() }
    return deliveries
  }

  func report(_ error: any Error, of entity: EntityDescription) {
    // The refetch that follows reports the damaged row.
    if error is FlatBufferError { return }
    core.report(.wrapping(error, path: core.path, doing: "Observing"))
  }

  // MARK: Stale observers

  /// The numbers of all observers and of the stale ones, for tests.
  var counts: (all: Int, stale: Int) {
    core.publication.withPublicationLock {
      (state.tables.values.reduce(0) { $0 + $1.observers.count }, state.stale.count)
    }
  }

  /// Returns true if the observer shows the uncommitted state of a group that is still open.
  private func isPending(_ observer: LiveObserver) -> Bool {
    observer.pendingIn.map { $0 == pendingGroup.load(ordering: .acquiring) } ?? false
  }

  private func setBehind(_ observer: LiveObserver) {
    if observer.isBehind { return }
    observer.isBehind = true
    state.stale[ObjectIdentifier(observer)] = observer
  }

  private func clearBehind(_ observer: LiveObserver) {
    observer.isBehind = false
    observer.pendingIn = nil
    state.stale[ObjectIdentifier(observer)] = nil
  }

  /// Notes that a group ended without committing a change of entities. Observers that show its uncommitted state catch
  /// up.
  func groupEndedWithoutChanges() {
    if pendingGroup.exchange(0, ordering: .acquiringAndReleasing) != 0 { catchUpLater() }
  }

  private func catchUpLater() {
    core.delivery.enqueue(for: core) { [core, self] in withExtendedLifetime(core) { catchUp() } }
  }

  /// Compares the stale observers with the file. Those that can't be read now stay stale until the next
  /// commit.
  private func catchUp() {
    do {
      try core.withPublishedView { connection in
        var steps = ObserverUpdates()
        for observer in state.stale.values where !isPending(observer) {
          steps.refetch(observer, on: connection, at: core.publication.published, for: storage)
        }
        try connection?.requireUnchangedFile()
        deliverNow(install(steps))
      }
    } catch {
      let failure = WorkspaceError.wrapping(error, path: core.path, doing: "Reading")
      core.log.write(
        .debug, "Observers of '\(core.path)' could not be brought up to date.", about: failure, for: core)
    }
  }

  /// Enqueues deliveries under the publication lock, and thereby before those of later commits.
  private func deliverNow(_ deliveries: [Delivery]) {
    if deliveries.isEmpty { return }
    core.delivery.enqueue(for: core) { for delivery in deliveries { delivery() } }
  }

  // MARK: End

  /// Ends all subscriptions with their streams and publishers, because the workspace is closed.
  func end() {
    let all = core.publication.withPublicationLock {
      defer {
        state.tables = [:]
        state.stale = [:]
      }
      return state.tables.values.flatMap(\.observers)
    }
    storage.queriedTables.withLock { $0 = [] }
    tracked.withLock { $0 = [:] }
    for observer in all { observer.end() }
  }
}

/// The observers, by table.
final class ObservationState: @unchecked Sendable {  // guarded by the publication lock
  var tables: [Int: ObservedTable] = [:]
  var stale: [ObjectIdentifier: LiveObserver] = [:]
  /// Counts additions and moves of observers.
  var version: UInt64 = 0
}

/// The steps that the observers take if a group's COMMIT succeeds: a part of the group's state.
final class PreparedSteps {
  fileprivate let steps: ObserverUpdates
  fileprivate let tables: [Int]
  fileprivate let version: UInt64

  fileprivate init(_ steps: ObserverUpdates, tables: [Int], version: UInt64) {
    self.steps = steps
    self.tables = tables
    self.version = version
  }
}
