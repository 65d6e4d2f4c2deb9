import DflatSQLite
import Synchronization

/// Moves the caches from commit to commit, in order, and passes the observers' callbacks to the delivery queue.
///
/// See `Lock` for the lock order. COMMIT runs under the publication lock: if a reader sees an unpublished commit of
/// this process in the file and then takes the lock, the commit is published.
@usableFromInline
package final class Publication: Sendable {
  @usableFromInline let lock = Lock(())
  private let publishedNumber = Atomic<UInt64>(0)
  private let publishingNumber = Atomic<UInt64>(0)
  /// The numbers of times that dropping the caches has begun, and ended.
  private let resetsBegun = Atomic(0)
  private let resetsEnded = Atomic(0)
  private let catalogs = Lock(Catalogs())
  private let closing = Atomic(false)
  private let participants = Lock<[any Participant]>([])
  private let delivery: DeliveryQueue

  init(delivery: DeliveryQueue) { self.delivery = delivery }

  /// The number of the newest commit that the caches show.
  package var published: UInt64 { publishedNumber.load(ordering: .acquiring) }

  /// Changes whenever the caches are about to be dropped, because the file was replaced or because its changes are
  /// unknown. Numbers of commits compare within an epoch: those of a replaced file begin again.
  package var epoch: Int { resetsBegun.load(ordering: .acquiring) }

  /// The newest commit that the caches show, and its epoch.
  struct Position {
    /// 0 while the caches are being dropped.
    fileprivate var number: UInt64
    let epoch: Int
  }

  /// The position of the caches. A view that is renewed after this call shows an older commit only if the file was
  /// replaced.
  var position: Position {
    let epoch = epoch
    // In this order: if no drop is in progress, the number is at least that of the last one.
    let isDropping = resetsEnded.load(ordering: .acquiring) != epoch
    let number = published
    return Position(number: isDropping ? 0 : number, epoch: epoch)
  }

  /// The commit that the caches show or are moving to. An older read view must not answer reads: the cache may already
  /// have a newer value, and the overlay may no longer have the value that the view lacks.
  package var publishing: UInt64 { publishingNumber.load(ordering: .acquiring) }

  /// Returns true if the caches show this commit and aren't moving to another one.
  package func isFullyPublished(at commitNumber: UInt64) -> Bool {
    publishing == commitNumber && published == commitNumber
  }

  /// Adds a participant unless another thread has already added it, and then makes it visible. The participant takes
  /// part in groups and publications before anybody can use it.
  ///
  /// - Parameters:
  ///   - isThere: Returns true if another thread was faster. Runs under the publication lock.
  ///   - expose: Makes the participant visible. Runs under the publication lock.
  package func add(_ participant: any Participant, unless isThere: () -> Bool, thenExpose expose: () -> Void) {
    lock.withLock { _ in
      if isThere() { return }
      participants.withLock { participants in
        let index =
          participants.firstIndex { type(of: $0).recordKind > type(of: participant).recordKind }
          ?? participants.endIndex
        participants.insert(participant, at: index)
      }
      participant.begin(after: publishing)
      if isClosing { participant.stopAcceptingWrites() }
      expose()
    }
  }

  /// True from the beginning of shutdown on.
  var isClosing: Bool { closing.load(ordering: .acquiring) }

  /// Refuses plain writes from now on because shutdown has begun.
  func stopAcceptingWrites() {
    let all = lock.withLock { _ in
      closing.store(true, ordering: .releasing)
      return allParticipants
    }
    for participant in all { participant.stopAcceptingWrites() }
  }

  /// Ends the participants' observers after the workspace is closed.
  func end() {
    for participant in allParticipants { participant.end() }
  }

  /// The participants, ordered by record kind.
  package var allParticipants: [any Participant] { participants.withLock { $0 } }

  // MARK: Catalogs

  /// Returns a number that identifies the state of the catalogs at a commit, or nil if they have changed since. Views
  /// with one number have equal catalogs, so what was read of them in one is valid in the others.
  ///
  /// - Parameter commitNumber: A commit that is published.
  func catalogNumber(at commitNumber: UInt64) -> UInt64? {
    catalogs.withLock { $0.since <= commitNumber ? $0.number : nil }
  }

  /// The number of the catalogs at the published commit; nil while the caches move to another one.
  ///
  /// A reader that has found a value in a cache, and then finds this number, knows that the catalogs have this state,
  /// or had it after the value's commit: the caches move only after `publishing`, and the number changes before
  /// `published`.
  package var publishedCatalogNumber: UInt64? {
    let publishing = publishing
    guard published == publishing else { return nil }
    return catalogs.withLock { $0.number }
  }

  /// Notes that the catalogs may have changed in a commit, before it is published.
  private func noteCatalogChange(in commitNumber: UInt64) {
    catalogs.withLock { $0 = Catalogs(number: $0.number + 1, since: commitNumber) }
  }

  /// Notes that another tool may have changed the catalogs without a commit number. The first commit that has the
  /// newest logged change stays: older views have other catalogs.
  func noteUnloggedCatalogChange() { catalogs.withLock { $0.number += 1 } }

  // MARK: This process's commits

  /// Runs `commit`, which commits the group, and publishes it. If `commit` throws, nothing is published (A2).
  ///
  /// - Returns: False, without a call of `commit`, if the group doesn't follow the published commit. Nobody else can
  ///   commit while the group is open, so another file has replaced this one since, or the file is damaged.
  func publish(_ group: Group, for workspace: WorkspaceIdentity, commit: () throws -> Void) throws -> Bool {
    try lock.withLock { _ in
      guard isNext(group) else { return false }
      try commit()
      Failpoint.committedBeforePublish.reach(in: workspace)
      move(group, for: workspace)
      return true
    }
  }

  /// True while plain writes wait for a group.
  package var hasPendingWrites: Bool { allParticipants.contains { $0.hasPendingWrites } }

  /// Returns true if the group follows the published commit.
  func isNext(_ group: Group) -> Bool { group.commitNumber == published + 1 }

  /// Moves the caches to the group's commit, and enqueues the callbacks.
  private func move(_ group: Group, for workspace: WorkspaceIdentity) {
    publishingNumber.store(group.commitNumber, ordering: .releasing)
    let deliveries = allParticipants.flatMap { $0.publish(group) }
    Failpoint.movedBeforePublished.reach(in: workspace)
    if group.connection.catalogNumber == nil { noteCatalogChange(in: group.commitNumber) }
    publishedNumber.store(group.commitNumber, ordering: .releasing)
    deliver(deliveries, then: group.members, for: workspace)
  }

  /// Notifies the members of a group that changed nothing or failed.
  ///
  /// - Parameter requeuesPlainWrites: True if the group's plain writes wait for another group instead of failing.
  func conclude(
    _ group: Group, with error: WorkspaceError?, requeuesPlainWrites: Bool = false, for workspace: WorkspaceIdentity
  ) {
    if let error {
      for participant in allParticipants {
        if requeuesPlainWrites {
          participant.requeue(group, because: error)
        } else {
          participant.discard(group, because: error)
        }
      }
      let members = group.members.map { Group.Member(completion: $0.completion, failure: $0.failure ?? error) }
      notify(members, for: workspace)
    } else {
      for participant in allParticipants { participant.conclude(group) }
      notify(group.members, for: workspace)
    }
  }

  /// Notifies a member that was in no group.
  func conclude(_ member: Group.Member, for workspace: WorkspaceIdentity) { notify([member], for: workspace) }

  /// Notifies members that changed nothing. They may have seen a commit that is published, but whose callbacks another
  /// thread has yet to enqueue, under the publication lock: theirs come after them (A4).
  private func notify(_ members: [Group.Member], for workspace: WorkspaceIdentity) {
    lock.withLock { _ in deliver([], then: members, for: workspace) }
  }

  /// Enqueues the callbacks in commit order, with completions after the observers (A4). Wakes blocked threads at once
  /// if they have no observers to wait for.
  private func deliver(_ deliveries: [Delivery], then members: [Group.Member], for workspace: WorkspaceIdentity) {
    var queued: [Group.Member] = []
    let mayWakeAtOnce = deliveries.isEmpty && delivery.isIdle
    for member in members {
      if !member.completion.isUserCode, mayWakeAtOnce || !member.completion.followsObservers {
        member.finish()
      } else {
        queued.append(member)
      }
    }
    if deliveries.isEmpty && queued.isEmpty { return }
    delivery.enqueue(for: workspace) { [queued] in
      for delivery in deliveries { delivery() }
      for member in queued { member.finish() }
    }
  }

  // MARK: Other processes' commits

  /// Follows the file to `current`, which the connection's read view shows (A9). Does nothing if there is nothing new.
  ///
  /// - Parameter before: Where the caches were before the view was taken. If the view is older, another file has replaced
  ///   this one.
  /// - Returns: False if the caches were dropped since: the view may be that of a file that was replaced. The caller takes
  ///   a new one.
  func catchUp(
    to current: UInt64, from before: Position, on connection: Connection, for workspace: WorkspaceIdentity
  ) throws -> Bool {
    if current == published, epoch == before.epoch { return true }
    return try lock.withLock { _ in
      guard epoch == before.epoch else { return false }
      try follow(to: current, from: before, on: connection, for: workspace)
      return true
    }
  }

  private func follow(
    to current: UInt64, from before: Position, on connection: Connection, for workspace: WorkspaceIdentity
  ) throws {
    let known = publishedNumber.load(ordering: .acquiring)
    // The view is older than the caches were before it: the file has been replaced.
    if current < before.number { return try move(to: current, on: connection, for: workspace) }
    if current <= known { return }
    // Don't read the rows if there are no participants yet, or if the log can't hold all of them. Rows that are not in
    // order count as missing.
    let isNew = known == 0 && allParticipants.isEmpty
    let readsLog = !isNew && current - known <= ChangeLog.capacity + ChangeLog.trimInterval
    let records = readsLog ? try ChangeLog.rows(after: known, on: connection) ?? [] : []
    switch CatchUp(published: known, current: current, missed: records.map(\.commitNumber)) {
    case .none: return
    case .replay:
      try finish(at: current, on: connection, for: workspace) { try $0.publish(external: records, on: connection) }
    case .reset: try move(to: current, on: connection, for: workspace)
    }
  }

  /// Drops all caches, and moves the participants to `current`. Runs under the publication lock.
  private func move(to current: UInt64, on connection: Connection, for workspace: WorkspaceIdentity) throws {
    // First, so that no value of an older view comes into a cache behind the drop.
    connection.epoch = resetsBegun.add(1, ordering: .acquiringAndReleasing).newValue
    defer { resetsEnded.add(1, ordering: .releasing) }
    try finish(at: current, on: connection, for: workspace) { try $0.reset(to: current, on: connection) }
  }

  /// Moves all participants to `current`. Everything that can fail runs before anything moves, so that a second attempt
  /// notifies the observers of the same changes (A4).
  private func finish(
    at current: UInt64, on connection: Connection, for workspace: WorkspaceIdentity,
    _ body: (any Participant) throws -> CacheMove
  ) throws {
    let before = publishingNumber.exchange(current, ordering: .acquiringAndReleasing)
    do {
      let moves = try allParticipants.map { try body($0) }
      try connection.requireUnchangedFile()
      let deliveries = try moves.flatMap { try $0() }
      noteCatalogChange(in: current)
      publishedNumber.store(current, ordering: .releasing)
      Failpoint.publishedBeforeDelivery.reach(in: workspace)
      deliver(deliveries, then: [], for: workspace)
    } catch {
      publishingNumber.store(before, ordering: .releasing)
      throw error
    }
  }

  /// Runs `body` while nothing is published.
  @inlinable
  package func withPublicationLock<T>(_ body: () throws -> T) rethrows -> T { try lock.withLock { _ in try body() } }

  /// Runs `body` while nothing is published if the published commit is `view` of this epoch, and returns nil otherwise.
  func withPublicationLock<T>(at view: UInt64, in epoch: Int, _ body: () throws -> T) rethrows -> T? {
    try lock.withLock { _ in
      view == publishedNumber.load(ordering: .acquiring) && epoch == self.epoch ? try body() : nil
    }
  }

  /// Drops every cache because the file's content is unknown, and compares observed values with the file.
  func reset(to current: UInt64, on connection: Connection, for workspace: WorkspaceIdentity) throws {
    try lock.withLock { _ in try move(to: current, on: connection, for: workspace) }
  }

  /// Publishes a group whose outcome was unknown until its commit was found in the file.
  func publishRecovered(_ group: Group, for workspace: WorkspaceIdentity) {
    lock.withLock { _ in
      // A reader may have found the commit first, and published it as another process's.
      if group.commitNumber > publishedNumber.load(ordering: .acquiring) { return move(group, for: workspace) }
      for participant in allParticipants { participant.conclude(group) }
      deliver([], then: group.members, for: workspace)
    }
  }
}

/// The newest state of the catalogs.
private struct Catalogs {
  /// Identifies the state.
  var number: UInt64 = 1
  /// The first commit that has this state.
  var since: UInt64 = 0
}

extension Group.Member {
  func finish() {
    completion.run(failure.map { .failure($0) } ?? .success(()))
  }
}
