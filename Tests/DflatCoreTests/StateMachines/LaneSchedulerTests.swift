import DflatCore
import TestSupport
import Testing

@Suite struct LaneSchedulerTests {
  @Test("A ticket in free lanes runs at once")
  func aTicketInFreeLanesRunsAtOnce() {
    var scheduler = LaneScheduler<String>()
    #expect(scheduler.isIdle)
    let first = scheduler.enqueue(in: ["a", "b"])
    #expect(first.isReady)
    #expect(scheduler.lanes(of: first.ticket) == ["a", "b"])
    #expect(scheduler.finish(first.ticket) == [])
    #expect(scheduler.isIdle)
    #expect(scheduler.lanes(of: first.ticket) == [])
  }

  /// lane a:  1 ─ 3 ─ 4
  /// lane b:  2 ─ 3 ─ 5
  @Test("A3: A ticket waits until it is first in all of its lanes")
  func aTicketWaitsUntilItIsFirstInAllItsLanes() {
    var scheduler = LaneScheduler<String>()
    let one = scheduler.enqueue(in: ["a"])
    let two = scheduler.enqueue(in: ["b"])
    let three = scheduler.enqueue(in: ["a", "b"])
    let four = scheduler.enqueue(in: ["a"])
    let five = scheduler.enqueue(in: ["b"])
    #expect([one, two, three, four, five].map(\.isReady) == [true, true, false, false, false])
    #expect(!scheduler.hasSuccessor(one.ticket))
    #expect(scheduler.finish(two.ticket) == [])
    #expect(scheduler.hasSuccessor(one.ticket))
    #expect(scheduler.finish(one.ticket) == [three.ticket])
    #expect(scheduler.hasSuccessor(three.ticket))
    #expect(scheduler.finish(three.ticket) == [four.ticket, five.ticket])
    #expect(!scheduler.hasSuccessor(four.ticket))
    #expect(scheduler.finish(five.ticket) == [])
    #expect(scheduler.finish(four.ticket) == [])
    #expect(scheduler.isIdle)
  }

  @Test("A lane that is named twice counts once")
  func aLaneNamedTwiceCountsOnce() {
    var scheduler = LaneScheduler<String>()
    let one = scheduler.enqueue(in: ["a", "a", "a"])
    #expect(one.isReady)
    let two = scheduler.enqueue(in: ["a", "b", "a"])
    #expect(!two.isReady)
    #expect(scheduler.lanes(of: two.ticket) == ["a", "b"])
    #expect(scheduler.hasSuccessor(one.ticket))
    #expect(scheduler.finish(one.ticket) == [two.ticket])
    #expect(scheduler.finish(two.ticket) == [])
    #expect(scheduler.isIdle)
  }

  @Test("A ticket without lanes waits for no other")
  func aTicketWithoutLanesWaitsForNobody() {
    var scheduler = LaneScheduler<String>()
    let one = scheduler.enqueue(in: ["a"])
    let none = scheduler.enqueue(in: [])
    #expect(none.isReady)
    #expect(scheduler.finish(none.ticket) == [])
    #expect(scheduler.finish(one.ticket) == [])
  }

  @Test("A3: Exactly the tickets that are first in all their lanes run, as in a simple model", arguments: 1...20)
  func againstAModel(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var scheduler = LaneScheduler<Int>()
    var model = NaiveScheduler()
    var started: [UInt64] = []
    for _ in 0..<500 {
      let running = model.ready
      if running.isEmpty || (model.tickets.count < 24 && Bool.random(using: &generator)) {
        let lanes = (0..<Int.random(in: 0...4, using: &generator)).map { _ in Int.random(in: 0..<6, using: &generator) }
        let (ticket, isReady) = scheduler.enqueue(in: lanes)
        model.tickets.append((ticket, Set(lanes)))
        #expect(model.ready.contains(ticket) == isReady)
        if isReady { started.append(ticket) }
      } else {
        let ticket = running[Int.random(in: 0..<running.count, using: &generator)]
        let freed = model.freed(by: ticket)
        #expect(scheduler.hasSuccessor(ticket) == !freed.isEmpty)
        #expect(scheduler.finish(ticket) == freed)
        model.tickets.removeAll { $0.ticket == ticket }
        started += freed
      }
    }
    while let ticket = model.ready.first {
      let freed = model.freed(by: ticket)
      #expect(scheduler.finish(ticket) == freed)
      model.tickets.removeAll { $0.ticket == ticket }
      started += freed
    }
    #expect(model.tickets.isEmpty, "The remaining tickets wait for each other")
    #expect(scheduler.isIdle)
    #expect(Set(started).count == started.count, "A ticket ran twice")
  }
}

/// A model of the scheduler without an index: a list of tickets in the order in which they were taken.
private struct NaiveScheduler {
  var tickets: [(ticket: UInt64, lanes: Set<Int>)] = []

  var ready: [UInt64] { ready(in: tickets) }

  func freed(by ticket: UInt64) -> [UInt64] {
    let before = Set(ready)
    return ready(in: tickets.filter { $0.ticket != ticket }).filter { !before.contains($0) }
  }

  private func ready(in tickets: [(ticket: UInt64, lanes: Set<Int>)]) -> [UInt64] {
    tickets.indices.filter { index in
      tickets[..<index].allSatisfy { $0.lanes.isDisjoint(with: tickets[index].lanes) }
    }.map { tickets[$0].ticket }
  }
}
