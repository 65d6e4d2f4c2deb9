import DequeModule

/// Orders the transactions that declare a type, first come, first served. A state machine without locks or threads
/// (A3).
///
/// A transaction takes the tickets for all of its lanes at once, and runs when it is first in each lane. Because it
/// takes the tickets together, transactions can't wait for each other in a circle. Transactions in disjoint lanes never
/// wait for each other.
///
///     lane A:  1 ─ 3          1 runs; 2 runs beside it; 3 waits for both
///     lane B:  2 ─ 3
package struct LaneScheduler<Lane: Hashable> {
  package typealias Ticket = UInt64

  private var lanes: [Lane: Deque<Ticket>] = [:]
  private var held: [Ticket: Holding] = [:]
  private var lastTicket: Ticket = 0

  private struct Holding {
    var lanes: [Lane]
    var waiting: Int
  }

  package init() {}

  package var isIdle: Bool { held.isEmpty }

  /// Takes a ticket in each lane. `isReady` is true if the transaction is first in all lanes and may run. A lane that
  /// is listed twice counts once.
  package mutating func enqueue(in wanted: [Lane]) -> (ticket: Ticket, isReady: Bool) {
    lastTicket += 1
    var distinct: [Lane] = []
    var waiting = 0
    for lane in wanted where !distinct.contains(lane) {
      distinct.append(lane)
      if lanes[lane] != nil { waiting += 1 }
      lanes[lane, default: []].append(lastTicket)
    }
    held[lastTicket] = Holding(lanes: distinct, waiting: waiting)
    return (lastTicket, waiting == 0)
  }

  /// Returns true if another ticket waits only for this one.
  package func hasSuccessor(_ ticket: Ticket) -> Bool {
    var freed: [Ticket: Int] = [:]
    for lane in held[ticket]?.lanes ?? [] {
      guard let next = lanes[lane]?.dropFirst().first else { continue }
      freed[next, default: 0] += 1
      if freed[next] == held[next]?.waiting { return true }
    }
    return false
  }

  package func lanes(of ticket: Ticket) -> [Lane] { held[ticket]?.lanes ?? [] }

  /// Returns a ticket whose transaction has run. The result lists the tickets that may run now, in their original
  /// order.
  package mutating func finish(_ ticket: Ticket) -> [Ticket] {
    guard let holding = held.removeValue(forKey: ticket) else { preconditionFailure("An unknown ticket finished.") }
    precondition(holding.waiting == 0, "A ticket that never ran can't finish.")
    var ready: [Ticket] = []
    for lane in holding.lanes {
      let first = lanes[lane]?.popFirst()
      precondition(first == ticket, "The running ticket must be the first in its lane.")
      guard let next = lanes[lane]?.first else {
        lanes[lane] = nil
        continue
      }
      held[next]?.waiting -= 1
      if held[next]?.waiting == 0 { ready.append(next) }
    }
    return ready.sorted()
  }
}
