import DflatBuffers
import DflatSQLite
import Synchronization

/// Who observes entities of a workspace, and how that follows the commits.
///
/// Its state moves under the publication lock, and callbacks run on the delivery queue (A11). What observers will show after
/// a COMMIT is worked out right before it, on the connection that shows it, and moved to when it has happened. An observer
/// that can't be brought forward, or came in between, is *behind*: it is compared with the file at the next chance.
final class EntityObservers: Sendable {
  unowned(unsafe) let core: WorkspaceCore
  private let state = ObservationState()
  /// The tables that live queries look at, for those who don't hold the publication lock.
  private let queriedTables = Lock<Set<Int>>([])
  /// Cancelled and not yet taken out.
  private let cancelled = Lock<[LiveObserver]>([])
  /// The open group, if an observer waits for its end (`Group.writer`), or 0.
  private let pendingGroup = Atomic<Int64>(0)

  init(core: WorkspaceCore) { self.core = core }

  /// True when live queries look at the table, so that a group has to keep what its rows were and are. Asked with the baton.
  /// For observed objects it has not: the few that changed are read again sooner than all that change are kept.
  func areInterested(inTable number: Int) -> Bool { queriedTables.withLock { $0.contains(number) } }

  // MARK: Coming and going

  /// Adds an observer that `make` makes, and moves it to the published commit; what it shows then is told it if it differs.
  /// Whatever is published later moves it: nothing is lost, and nothing told twice (A4).
  ///
  /// - Parameter group: it shows what the open group, whose baton this thread holds, has not committed yet: it is left as
  ///   it is until that has ended.
  /// - Returns: nil when the workspace is closing.
  func add(pendingIn group: Group?, _ make: (Connection?) throws -> LiveObserver) throws -> LiveObserver? {
    try core.withPublishedView { connection in
      guard core.isOpen else { return nil }
      let observer = try make(connection)
      drop()
      enter(observer)
      var steps = LiveSteps()
      if let group {
        observer.pendingIn = group.writer
        setBehind(observer)
        pendingGroup.store(group.writer, ordering: .releasing)
      } else {
        steps.refetch(observer, on: connection, at: core.publication.published, for: core)
      }
      deliverNow(install(steps))
      return observer
    }
  }

  /// Adds an observer that could not be compared with the file. False when the workspace is closing.
  func addBehind(_ observer: LiveObserver) -> Bool {
    core.publication.whileUnmoved {
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
    if table.hasQueries { queriedTables.withLock { _ = $0.insert(observer.entity.number) } }
  }

  /// Takes out an observer whose callbacks are gone: now, if nobody publishes, or else before the next commit.
  func remove(_ observer: LiveObserver) {
    if core.isForked { return }
    let isFirst = cancelled.withLock { cancelled in
      cancelled.append(observer)
      return cancelled.count == 1
    }
    guard isFirst else { return }
    core.delivery.enqueue(for: core) { [core] in
      core.publication.whileUnmoved { EntityStore.of(core).observers.drop() }
    }
  }

  /// Takes out those that were cancelled.
  private func drop() {
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
    if !table.hasQueries { queriedTables.withLock { _ = $0.remove(number) } }
    if table.isEmpty { state.tables[number] = nil }
  }

  // MARK: Commits

  /// What the observers will be told when these changes are committed, as the connection shows them. Moves nothing.
  func prepare(_ changes: [Int: TableChanges], at commitNumber: UInt64, on connection: Connection) -> AnyObject? {
    drop()
    let steps = steps(for: changes, at: commitNumber, on: connection)
    return PreparedSteps(steps, tables: Array(changes.keys), version: state.version)
  }

  /// The commit happened: moves on to what was prepared. Its deliveries.
  func publish(_ prepared: AnyObject?, at commitNumber: UInt64) -> [Delivery] {
    pendingGroup.store(0, ordering: .releasing)
    guard let prepared = prepared as? PreparedSteps else { return [] }
    if prepared.version == state.version { return install(prepared.steps) }
    // Somebody came, or something else was published, between the preparation and this: a commit whose outcome was looked
    // up later.
    state.version += 1
    for number in prepared.tables { for observer in state.tables[number]?.observers ?? [] { setBehind(observer) } }
    catchUpLater()
    return []
  }

  /// Other processes' commits changed these tables: `unknown` or `rowids`. Gives what moves the observers; all that can fail
  /// comes before.
  func publish(
    foreign changes: [Int: TableChanges], at commitNumber: UInt64, on connection: Connection
  ) throws -> () -> [Delivery] {
    drop()
    let steps = steps(for: changes, at: commitNumber, on: connection)
    try steps.requireReadable()
    return { [self] in install(steps) }
  }

  /// What changed is not known: everything that is observed is compared with the file.
  func reset(to commitNumber: UInt64, on connection: Connection) throws -> () -> [Delivery] {
    try publish(foreign: state.tables.mapValues { _ in .unknown }, at: commitNumber, on: connection)
  }

  /// The steps of the observers whose tables changed, and of all that are behind. Those include pending ones: either the
  /// commit is their group's, or that group has ended, since no other process can commit while it is open.
  private func steps(
    for changes: [Int: TableChanges], at commitNumber: UInt64, on connection: Connection
  ) -> LiveSteps {
    var steps = LiveSteps()
    for (number, changes) in changes {
      state.tables[number]?.move(changes, at: commitNumber, on: connection, for: core, into: &steps)
    }
    for observer in state.behind.values {
      steps.refetch(observer, on: connection, at: commitNumber, for: core)
    }
    return steps
  }

  private func install(_ steps: LiveSteps) -> [Delivery] {
    state.version += 1
    var deliveries: [Delivery] = []
    for step in steps.steps {
      if let delivery = step.install() { deliveries.append(delivery) }
      if step.isLast { leave(step.observer) }
    }
    for observer in steps.caughtUp where observer.isBehind { clearBehind(observer) }
    // One row may fail a thousand live queries.
    var reported: Set<Int> = []
    for (observer, error) in steps.failures where !observer.isBehind {
      if reported.insert(observer.entity.number).inserted { report(error, of: observer.entity) }
      setBehind(observer)
    }
    if !reported.isEmpty { catchUpLater() }
    return deliveries
  }

  func report(_ error: any Error, of entity: EntityDescription) {
    // Who catches up with a damaged row names it.
    if error is FlatBufferError { return }
    core.report(.wrapping(error, path: core.path, doing: "Observing"))
  }

  // MARK: Those behind

  /// How many there are, and how many of them wait to be compared with the file; for tests.
  var counts: (all: Int, behind: Int) {
    core.publication.whileUnmoved { (state.tables.values.reduce(0) { $0 + $1.observers.count }, state.behind.count) }
  }

  /// True while the group is open that has not committed what the observer shows.
  private func isPending(_ observer: LiveObserver) -> Bool {
    observer.pendingIn.map { $0 == pendingGroup.load(ordering: .acquiring) } ?? false
  }

  private func setBehind(_ observer: LiveObserver) {
    if observer.isBehind { return }
    observer.isBehind = true
    state.behind[ObjectIdentifier(observer)] = observer
  }

  private func clearBehind(_ observer: LiveObserver) {
    observer.isBehind = false
    observer.pendingIn = nil
    state.behind[ObjectIdentifier(observer)] = nil
  }

  /// A group ended that committed no change of an entity. Some may show what was in it for a while.
  func groupEndedWithoutChanges() {
    if pendingGroup.exchange(0, ordering: .acquiringAndReleasing) != 0 { catchUpLater() }
  }

  private func catchUpLater() {
    core.delivery.enqueue(for: core) { [core] in EntityStore.of(core).observers.catchUp() }
  }

  /// Compares those that are behind with the file. What can't be read now is left to the next commit.
  private func catchUp() {
    do {
      try core.withPublishedView { connection in
        var steps = LiveSteps()
        for observer in state.behind.values where !isPending(observer) {
          steps.refetch(observer, on: connection, at: core.publication.published, for: core)
        }
        deliverNow(install(steps))
      }
    } catch {
      core.log.debug("Observers could not be brought up to date.", metadata: ["error": "\(error)"])
    }
  }

  /// Under the publication lock: before what later commits deliver.
  private func deliverNow(_ deliveries: [Delivery]) {
    if deliveries.isEmpty { return }
    core.delivery.enqueue(for: core) { for delivery in deliveries { delivery() } }
  }

  // MARK: End

  /// The workspace is closed: streams and publishers end.
  func end() {
    let all = core.publication.whileUnmoved {
      defer {
        state.tables = [:]
        state.behind = [:]
      }
      return state.tables.values.flatMap(\.observers)
    }
    queriedTables.withLock { $0 = [] }
    for observer in all { observer.end() }
  }
}

/// The observers, by their tables.
private final class ObservationState: @unchecked Sendable {  // guarded by the publication lock
  var tables: [Int: ObservedTable] = [:]
  var behind: [ObjectIdentifier: LiveObserver] = [:]
  /// Counts what moved or came.
  var version: UInt64 = 0
}

/// What observers move to if a COMMIT succeeds.
private final class PreparedSteps {
  let steps: LiveSteps
  let tables: [Int]
  let version: UInt64

  init(_ steps: LiveSteps, tables: [Int], version: UInt64) {
    self.steps = steps
    self.tables = tables
    self.version = version
  }
}
