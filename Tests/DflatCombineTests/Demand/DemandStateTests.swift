import Testing

@testable import DflatCombine

@Suite("What a subscription owes its subscriber") struct DemandStateTests {
  typealias State = DemandState<String>

  /// Everything that is due, with nothing asked for in between.
  private func delivered(_ state: inout State) -> [String] {
    guard state.beginDelivering() else { return ["(busy)"] }
    var all: [String] = []
    while true {
      switch state.next() {
      case .deliver(let value): all.append(value)
      case .finish: return all + ["finished"]
      case .rest: return all
      }
    }
  }

  private func open(_ demand: Subscribers.Demand) -> State {
    var state = State()
    #expect(state.request(demand))
    return state
  }

  @Test("Only the first demand begins") func firstDemand() {
    var state = State()
    #expect(!state.request(.none))
    #expect(state.request(.max(1)))
    #expect(!state.request(.max(1)))
  }

  @Test("Nothing beyond the demand; of what waits, the newest") func demand() {
    var state = open(.max(2))
    #expect(state.offer("a") == nil)
    #expect(delivered(&state) == ["a"])
    #expect(state.offer("b") == nil)
    #expect(delivered(&state) == ["b"])
    #expect(state.offer("c") == nil)
    #expect(delivered(&state) == [])
    #expect(state.offer("d") == "c")
    #expect(delivered(&state) == [])
    #expect(!state.request(.max(3)))
    #expect(delivered(&state) == ["d"])
    _ = state.offer("e")
    #expect(delivered(&state) == ["e"])
  }

  @Test("Unlimited demand is never used up") func unlimited() {
    var state = open(.unlimited)
    for number in 0..<10 {
      _ = state.offer("\(number)")
      #expect(delivered(&state) == ["\(number)"])
    }
  }

  @Test("What the receiver of a value asks for counts at once") func fromReceiver() {
    var state = open(.max(1))
    _ = state.offer("a")
    #expect(state.beginDelivering())
    guard case .deliver("a") = state.next() else { return #expect(Bool(false)) }
    _ = state.offer("b")
    guard case .deliver("b") = state.next(adding: .max(1)) else { return #expect(Bool(false)) }
    guard case .rest = state.next() else { return #expect(Bool(false)) }
  }

  @Test("One delivers at a time") func oneAtATime() {
    var state = open(.unlimited)
    _ = state.offer("a")
    #expect(state.beginDelivering())
    guard case .deliver("a") = state.next() else { return #expect(Bool(false)) }
    _ = state.offer("b")
    #expect(!state.beginDelivering())
    guard case .deliver("b") = state.next(), case .rest = state.next() else { return #expect(Bool(false)) }
    #expect(state.beginDelivering())
  }

  @Test("The last value takes no other's place, and the end follows it") func last() {
    var state = open(.max(1))
    _ = state.offer("a")
    #expect(delivered(&state) == ["a"])
    _ = state.offer("b")
    state.offer(last: "gone")
    #expect(state.offer("late") == "late")
    #expect(delivered(&state) == [])
    _ = state.request(.max(1))
    #expect(delivered(&state) == ["b"])
    _ = state.request(.max(1))
    #expect(delivered(&state) == ["gone", "finished"])
    #expect(!state.isActive)
  }

  @Test("The end waits for what was not delivered, and for no demand") func end() {
    var state = open(.max(1))
    state.end()
    #expect(delivered(&state) == ["finished"])

    state = open(.max(1))
    _ = state.offer("a")
    _ = delivered(&state)
    _ = state.offer("b")
    state.end()
    #expect(delivered(&state) == [])
    _ = state.request(.max(1))
    #expect(delivered(&state) == ["b", "finished"])
  }

  @Test("Nothing after a cancellation") func cancelled() {
    var state = open(.max(1))
    _ = state.offer("a")
    _ = delivered(&state)
    _ = state.offer("b")
    state.offer(last: "c")
    #expect(state.close() == ["b", "c"])
    #expect(!state.isActive)
    #expect(!state.request(.unlimited))
    #expect(state.offer("d") == "d")
    state.end()
    #expect(delivered(&state) == [])

    state = State()
    _ = state.close()
    #expect(!state.request(.unlimited))
  }
}
