import Testing

@testable import DflatCombine

@Suite struct DemandStateTests {
  private struct Refusal: Error {}

  /// The state machine as a class, so that expectations may call methods that change it.
  private final class Machine {
    private var state = DemandState<String, Refusal>()

    init(_ demand: Subscribers.Demand = .none) { _ = state.request(demand) }

    var isActive: Bool { state.isActive }
    func request(_ demand: Subscribers.Demand) -> Bool { state.request(demand) }
    @discardableResult func offer(_ value: String) -> String? { state.offer(value) }
    func offer(last value: String) { state.offer(last: value) }
    func end() { state.end() }
    func fail() { state.end(.failure(Refusal())) }
    func close() -> [String] { state.close() }
    func begin() -> Bool { state.beginDelivering() }

    /// Returns the value of the next step, or nil to rest.
    func next(adding more: Subscribers.Demand = .none) -> String? {
      switch state.next(adding: more) {
      case .deliver(let value): value
      case .finish(.finished): "finished"
      case .finish(.failure): "failed"
      case .rest: nil
      }
    }

    /// Returns everything that is due, without any demand in between.
    func delivered() -> [String] {
      guard begin() else { return ["busy"] }
      var all: [String] = []
      while let value = next() {
        all.append(value)
        if ["finished", "failed"].contains(value) { break }
      }
      return all
    }

    func delivered(afterRequesting demand: Subscribers.Demand) -> [String] {
      _ = request(demand)
      return delivered()
    }
  }

  @Test("Only the first demand for values begins a subscription") func firstDemand() {
    let state = Machine()
    #expect(!state.request(.none))
    #expect(state.request(.max(1)))
    #expect(!state.request(.max(1)))
  }

  @Test("A subscriber gets no more than its demand, and only the newest of the waiting values") func demand() {
    let state = Machine(.max(2))
    #expect(state.offer("a") == nil)
    #expect(state.delivered() == ["a"])
    #expect(state.offer("b") == nil)
    #expect(state.delivered() == ["b"])
    #expect(state.offer("c") == nil)
    #expect(state.delivered() == [])
    #expect(state.offer("d") == "c")
    #expect(state.delivered() == [])
    #expect(!state.request(.max(3)))
    #expect(state.delivered() == ["d"])
    state.offer("e")
    #expect(state.delivered() == ["e"])
  }

  @Test("Unlimited demand is never used up") func unlimited() {
    let state = Machine(.unlimited)
    for number in 0..<10 {
      state.offer("\(number)")
      #expect(state.delivered() == ["\(number)"])
    }
  }

  @Test("A demand that a receiver returns counts at once") func fromReceiver() {
    let state = Machine(.max(1))
    state.offer("a")
    #expect(state.begin())
    #expect(state.next() == "a")
    state.offer("b")
    #expect(state.next(adding: .max(1)) == "b")
    #expect(state.next() == nil)
  }

  @Test("A delivery does not begin while another one runs") func oneAtATime() {
    let state = Machine(.unlimited)
    state.offer("a")
    #expect(state.begin())
    #expect(state.next() == "a")
    state.offer("b")
    #expect(!state.begin())
    #expect(state.next() == "b")
    #expect(state.next() == nil)
    #expect(state.begin())
  }

  @Test("The last value replaces no waiting value, and the end follows it") func last() {
    let state = Machine(.max(1))
    state.offer("a")
    #expect(state.delivered() == ["a"])
    state.offer("b")
    state.offer(last: "gone")
    #expect(state.offer("late") == "late")
    #expect(state.delivered() == [])
    #expect(state.delivered(afterRequesting: .max(1)) == ["b"])
    #expect(state.delivered(afterRequesting: .max(1)) == ["gone", "finished"])
    #expect(!state.isActive)
  }

  @Test("The end waits for undelivered values and needs no demand") func end() {
    var state = Machine(.max(1))
    state.end()
    #expect(state.delivered() == ["finished"])

    state = Machine(.max(1))
    state.offer("a")
    _ = state.delivered()
    state.offer("b")
    state.end()
    #expect(state.delivered() == [])
    #expect(state.delivered(afterRequesting: .max(1)) == ["b", "finished"])
  }

  @Test("A failure waits for undelivered values, needs no demand, and is the only end") func failure() {
    var state = Machine(.max(1))
    state.fail()
    state.end()
    #expect(state.delivered() == ["failed"])
    #expect(!state.isActive)

    state = Machine(.max(1))
    state.offer("a")
    _ = state.delivered()
    state.offer("b")
    state.fail()
    #expect(state.delivered() == [])
    #expect(state.delivered(afterRequesting: .max(1)) == ["b", "failed"])
  }

  @Test("A cancelled subscription delivers nothing") func cancelled() {
    var state = Machine(.max(1))
    state.offer("a")
    _ = state.delivered()
    state.offer("b")
    state.offer(last: "c")
    #expect(state.close() == ["b", "c"])
    #expect(!state.isActive)
    #expect(!state.request(.unlimited))
    #expect(state.offer("d") == "d")
    state.end()
    #expect(state.delivered() == [])

    state = Machine()
    _ = state.close()
    #expect(!state.request(.unlimited))
  }
}
