import Testing

@testable import DflatCore
@testable import DflatEtcd
@testable import DflatReplication

struct TurnPictureTests {
  private static let lease = EtcdLease.ID(7)
  private static let other = EtcdLease.ID(8)

  private func turn(_ process: String, at revision: Int64, head: UInt64? = nil) -> EtcdEntry {
    EtcdEntry(
      key: LogKeys.turn, value: TurnValue(process: process, head: head).encoded, createRevision: 1,
      modRevision: revision, version: 1, lease: nil)
  }

  private func waiter(_ process: String, _ lease: EtcdLease.ID, at revision: Int64) -> EtcdEntry {
    EtcdEntry(
      key: LogKeys.wait(lease), value: TurnValue(process: process).encoded, createRevision: revision,
      modRevision: revision, version: 1, lease: lease)
  }

  private func put(_ entry: EtcdEntry) -> EtcdEvent { EtcdEvent(kind: .put, entry: entry, previous: nil) }

  private func delete(_ key: EtcdKey, at revision: Int64) -> EtcdEvent {
    let entry = EtcdEntry(key: key, value: [], createRevision: 0, modRevision: revision, version: 0, lease: nil)
    return EtcdEvent(kind: .delete, entry: entry, previous: nil)
  }

  @Test("The first in the queue takes a free turn, the others wait")
  func order() {
    var picture = TurnPicture(me: "a")
    #expect(picture.step(with: Self.lease) == .queue)
    picture.load([waiter("b", Self.other, at: 2), waiter("a", Self.lease, at: 3)], at: 3)
    #expect(picture.step(with: Self.lease) == .wait)
    #expect(picture.place?.lease == Self.lease)
    picture.apply([delete(LogKeys.wait(Self.other), at: 4)], through: 4)
    guard case .take = picture.step(with: Self.lease) else {
      Issue.record("\(picture)")
      return
    }
    picture.apply([put(turn("b", at: 5))], through: 5)
    #expect(picture.step(with: Self.lease) == .wait)
  }

  @Test("A turn that is handed over is adopted; one that was given up is not")
  func adoption() {
    var picture = TurnPicture(me: "a")
    picture.apply([put(turn("a", at: 5, head: 9))], through: 5)
    #expect(picture.strayTurn == 5)
    #expect(picture.step(with: Self.lease) == .adopt(TurnPicture.Holder(id: 5, process: "a", head: 9)))
    picture.hold(Turn(id: 5, head: 9), lease: Self.lease, now: .now)
    #expect(picture.step(with: Self.lease) == .use(Turn(id: 5, head: 9)) && picture.strayTurn == nil)
    picture.abandon(5)
    #expect(picture.step(with: Self.lease) == .queue && picture.strayTurn == nil)
  }

  @Test("Old news don't end a turn, newer ones do")
  func news() {
    var picture = TurnPicture(me: "a")
    picture.hold(Turn(id: 5, head: 9), lease: Self.lease, now: .now)
    picture.apply([put(turn("b", at: 3)), delete(LogKeys.turn, at: 4)], through: 4)
    #expect(picture.held != nil)
    picture.apply([put(turn("a", at: 5))], through: 5)
    #expect(picture.held != nil)
    picture.apply([put(turn("b", at: 6))], through: 6)
    #expect(picture.held == nil)
    picture.load([turn("a", at: 5)], at: 5)
    #expect(picture.holder?.process == "b")
  }

  @Test("A store that goes back to earlier revisions is followed from there, and a late answer is no such store")
  func restoring() {
    var picture = TurnPicture(me: "a")
    picture.load([turn("a", at: 90)], at: 90)
    picture.hold(Turn(id: 90, head: 9), lease: Self.lease, now: .now)
    picture.abandon(90)
    // A read that began before.
    picture.load([turn("b", at: 80)], at: 80, since: 70)
    #expect(picture.revision == 90 && picture.holder?.id == 90)
    picture.load([waiter("a", Self.lease, at: 7)], at: 8, since: 90)
    #expect(picture.revision == 8)
    guard case .take(let waiter) = picture.step(with: Self.lease) else {
      Issue.record("\(picture)")
      return
    }
    picture.forget(waiter)
    picture.hold(Turn(id: 9, head: 3), lease: Self.lease, now: .now)
    // Another read that began before.
    picture.load([], at: 8, since: 90)
    #expect(picture.held?.turn.id == 9)
  }

  @Test("A holder that others wait for passes the turn after a few groups or some time")
  func passing() {
    var picture = TurnPicture(me: "a")
    let start = ContinuousClock.now
    picture.hold(Turn(id: 5, head: 0), lease: Self.lease, now: start)
    #expect(picture.successor(at: start + .seconds(1)) == nil)
    picture.apply([put(turn("a", at: 5)), put(waiter("b", Self.other, at: 6))], through: 6)
    #expect(picture.isWanted && picture.successor(at: start) == nil)
    #expect(picture.successor(at: start + TurnPicture.minimumHold)?.process == "b")
    for _ in 1..<TurnPicture.minimumRecords { #expect(picture.appended(with: 5) != nil) }
    #expect(picture.successor(at: start)?.lease == Self.other)
    picture.lose(Self.lease)
    #expect(picture.held == nil && picture.appended(with: 5) == nil)
  }

  @Test(
    "Foreign values are no waiters and no holders of ours",
    arguments: [[], [0xff], Array("a b".utf8), Array("a 1 2".utf8), [UInt8](repeating: 0x61, count: 1_000)])
  func foreign(_ value: [UInt8]) {
    var picture = TurnPicture(me: "a")
    picture.load(
      [
        EtcdEntry(key: LogKeys.turn, value: value, createRevision: 1, modRevision: 1, version: 1, lease: nil),
        EtcdEntry(key: "wait/7", value: value, createRevision: 1, modRevision: 1, version: 1, lease: nil),
        EtcdEntry(key: "wait/zz", value: value, createRevision: 1, modRevision: 1, version: 1, lease: nil),
        EtcdEntry(key: "turns", value: value, createRevision: 1, modRevision: 1, version: 1, lease: nil),
      ], at: 1)
    #expect(picture.waiters.isEmpty && picture.strayTurn == nil && picture.step(with: Self.lease) == .queue)
  }
}
