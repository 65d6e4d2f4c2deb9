import DflatSQLite
import Synchronization

/// Moves the caches from commit to commit, in order, and hands the observers' callbacks to the delivery queue.
///
/// Lock order: baton, then this lock, then the shards. COMMIT runs under this lock, so whoever sees a commit in the file
/// that is not published yet and takes the lock finds it published.
package final class Publication: Sendable {
  private let lock = Lock(())
  private let publishedNumber = Atomic<UInt64>(0)
  private let movingNumber = Atomic<UInt64>(0)
  private let closing = Atomic(false)
  private let participants = Lock<[any Participant]>([])
  private let delivery: DeliveryQueue

  init(delivery: DeliveryQueue) { self.delivery = delivery }

  /// The newest commit number that the caches show.
  package var published: UInt64 { publishedNumber.load(ordering: .acquiring) }

  /// The commit that the caches show or are being moved to. A read view that is older than this may not answer a read any
  /// more: what it would be compared with in the cache, or found gone from the overlay, may be newer already.
  package var moving: UInt64 { movingNumber.load(ordering: .acquiring) }

  /// True when the caches show this commit and are not being moved on.
  package func isSettled(at commitNumber: UInt64) -> Bool { moving == commitNumber && published == commitNumber }

  /// Adds a participant, unless another thread was faster, and then runs `expose`, which makes it known: from the instant
  /// that anybody can use it, it takes part in the groups and publications.
  package func add(_ participant: any Participant, unless isThere: () -> Bool, thenExpose expose: () -> Void) {
    lock.withLock { _ in
      if isThere() { return }
      participants.withLock { participants in
        let index = participants.firstIndex { $0.recordKind > participant.recordKind } ?? participants.endIndex
        participants.insert(participant, at: index)
      }
      if isClosing { participant.stopAcceptingWrites() }
      expose()
    }
  }

  /// True from the beginning of shutdown on.
  var isClosing: Bool { closing.load(ordering: .acquiring) }

  /// Shutdown has begun: no plain write is accepted from now on.
  func stopAcceptingWrites() {
    let all = lock.withLock { _ in
      closing.store(true, ordering: .releasing)
      return allParticipants
    }
    for participant in all { participant.stopAcceptingWrites() }
  }

  /// The workspace is closed: participants tell their observers that nothing more comes.
  func end() {
    for participant in allParticipants { participant.end() }
  }

  /// In the order of their record kinds.
  package var allParticipants: [any Participant] { participants.withLock { $0 } }

  // MARK: This process's commits

  /// Commits by `commit` and publishes. What `commit` throws is thrown before anything is published (A2).
  func publish(_ group: Group, for core: WorkspaceCore, commit: () throws -> Void) throws {
    try lock.withLock { _ in
      try commit()
      Failpoint.committedBeforePublish.reach(in: core)
      move(group, for: core)
    }
  }

  private func move(_ group: Group, for core: WorkspaceCore) {
    assert(group.commitNumber == published + 1, "Commits are published in order, none left out.")
    movingNumber.store(group.commitNumber, ordering: .releasing)
    let deliveries = allParticipants.flatMap { $0.publish(group) }
    Failpoint.movedBeforePublished.reach(in: core)
    publishedNumber.store(group.commitNumber, ordering: .releasing)
    deliver(deliveries, then: group.members, for: core)
  }

  /// Tells the members of a group that changed nothing, or failed, how it ended.
  func conclude(_ group: Group, with error: WorkspaceError?, for core: WorkspaceCore) {
    if let error {
      for participant in allParticipants { participant.discard(group, because: error) }
      deliver([], then: group.members.map { .init(completion: $0.completion, failure: $0.failure ?? error) }, for: core)
    } else {
      for participant in allParticipants { participant.conclude(group) }
      deliver([], then: group.members, for: core)
    }
  }

  /// Tells one that was in no group how it ended.
  func conclude(_ member: Group.Member, for core: WorkspaceCore) { deliver([], then: [member], for: core) }

  /// Callbacks in commit order, completions after the observers (A4). Threads that wait with nobody to wait for are
  /// woken at once.
  private func deliver(_ deliveries: [Delivery], then members: [Group.Member], for core: WorkspaceCore) {
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
    delivery.enqueue(for: core) { [queued] in
      for delivery in deliveries { delivery() }
      for member in queued { member.finish() }
    }
  }

  // MARK: Other processes' commits

  /// Follows the file to `current`, which the connection's read view shows (A9). Harmless when there is nothing new.
  ///
  /// - Parameter before: What was published before the view was taken. A view that is older is one of a file that was
  ///   replaced.
  func catchUp(
    to current: UInt64, from before: UInt64, on connection: Connection, for core: WorkspaceCore
  ) throws {
    if current == published { return }
    try lock.withLock { _ in
      let known = publishedNumber.load(ordering: .acquiring)
      if current <= known, current >= before { return }
      if current < before { return try move(to: current, on: connection, for: core) }
      // With nobody to tell, and past what the log holds, its rows need not be read.
      let isNew = known == 0 && allParticipants.isEmpty
      let readsLog = !isNew && current - known <= ChangeLog.capacity + ChangeLog.trimInterval
      let records = readsLog ? try ChangeLog.rows(after: known, on: connection) : []
      switch CatchUp(published: known, current: current, missed: records.map(\.commitNumber)) {
      case .none: return
      case .replay:
        try finish(at: current, for: core) { try $0.publish(foreign: records, on: connection) }
      case .reset: try move(to: current, on: connection, for: core)
      }
    }
  }

  private func move(to current: UInt64, on connection: Connection, for core: WorkspaceCore) throws {
    try finish(at: current, for: core) { try $0.reset(to: current, on: connection) }
  }

  /// All that can fail comes before anything moves: a second try tells the observers what the first one would have (A4).
  private func finish(
    at current: UInt64, for core: WorkspaceCore, _ body: (any Participant) throws -> ForeignMove
  ) throws {
    let before = movingNumber.exchange(current, ordering: .acquiringAndReleasing)
    do {
      let moves = try allParticipants.map { try body($0) }
      let deliveries = try moves.flatMap { try $0() }
      publishedNumber.store(current, ordering: .releasing)
      Failpoint.publishedBeforeDelivery.reach(in: core)
      deliver(deliveries, then: [], for: core)
    } catch {
      movingNumber.store(before, ordering: .releasing)
      throw error
    }
  }

  /// Runs `body` while nothing is published.
  func whileUnmoved<T>(_ body: () throws -> T) rethrows -> T { try lock.withLock { _ in try body() } }

  /// Runs `body` while nothing is published, if `view` is what is published; nil otherwise.
  func whileUnmoved<T>(at view: UInt64, _ body: () throws -> T) rethrows -> T? {
    try lock.withLock { _ in
      view == publishedNumber.load(ordering: .acquiring) ? try body() : nil
    }
  }

  /// Drops every cache, because what the file holds is not known, and compares what is observed with the file.
  func reset(to current: UInt64, on connection: Connection, for core: WorkspaceCore) throws {
    try lock.withLock { _ in try move(to: current, on: connection, for: core) }
  }

  /// Publishes a group whose commit was found in the file after its outcome had been unknown.
  func publishRecovered(_ group: Group, for core: WorkspaceCore) {
    lock.withLock { _ in
      // A reader may have found the commit in the file first, and published it as it does another process's.
      if group.commitNumber > publishedNumber.load(ordering: .acquiring) { return move(group, for: core) }
      for participant in allParticipants { participant.conclude(group) }
      deliver([], then: group.members, for: core)
    }
  }
}

extension Group.Member {
  func finish() {
    completion.run(failure.map { .failure($0) } ?? .success(()))
  }
}
