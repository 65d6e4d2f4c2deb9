import DflatCore
import Testing

@Suite struct ClosingWaitsTests {
  private final class Workspace {
    var id: ObjectIdentifier { ObjectIdentifier(self) }
  }

  private let a = Workspace()
  private let b = Workspace()
  private let c = Workspace()

  @Test("Waits that form no circle begin, also several of one kind") func noCircle() {
    var waits = ClosingWaits()
    #expect(waits.begin(for: b.id, inSnapshotsOf: []) != nil)
    #expect(waits.begin(for: b.id, inSnapshotsOf: [a.id]) != nil)
    #expect(waits.begin(for: b.id, inSnapshotsOf: [a.id]) != nil)
    #expect(waits.begin(for: c.id, inSnapshotsOf: [b.id, a.id]) != nil)
    #expect(waits.begin(for: a.id, inSnapshotsOf: []) != nil)
  }

  @Test("A wait that closes a circle doesn't begin, however long the circle is") func circles() {
    var waits = ClosingWaits()
    #expect(waits.begin(for: a.id, inSnapshotsOf: [a.id]) == nil)
    #expect(waits.begin(for: b.id, inSnapshotsOf: [a.id]) != nil)
    #expect(waits.begin(for: a.id, inSnapshotsOf: [c.id, b.id]) == nil)
    #expect(waits.begin(for: c.id, inSnapshotsOf: [b.id]) != nil)
    #expect(waits.begin(for: a.id, inSnapshotsOf: [c.id]) == nil)
  }

  @Test("A wait that has ended is a part of no circle") func ended() throws {
    var waits = ClosingWaits()
    let first = waits.begin(for: b.id, inSnapshotsOf: [a.id])
    let second = waits.begin(for: b.id, inSnapshotsOf: [a.id])
    waits.end(try #require(first))
    #expect(waits.begin(for: a.id, inSnapshotsOf: [b.id]) == nil)
    waits.end(try #require(second))
    #expect(waits.begin(for: a.id, inSnapshotsOf: [b.id]) != nil)
  }
}
