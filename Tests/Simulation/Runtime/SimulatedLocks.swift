public import Dispatch
public import Synchronization

/// The lock of a simulation.
public struct SimulatedLock: ~Copyable, Sendable {
  private final class State: @unchecked Sendable {  // one real thread
    var holder: Fiber?
    var isHeld = false
    var waiters: [Fiber] = []
  }

  private let state = State()

  public init() {}

  public borrowing func lock() {
    guard let simulation = Simulation.current, let fiber = simulation.runningFiber else {
      precondition(!state.isHeld, "A lock is held by a thread that was given up.")
      state.isHeld = true
      return
    }
    simulation.step()
    while state.isHeld {
      if state.holder === fiber { simulation.fail("A thread takes a lock that it already holds.") }
      state.waiters.append(fiber)
      simulation.block("a lock\(state.holder.map { " of thread \($0.number)" } ?? "")")
    }
    state.isHeld = true
    state.holder = fiber
    fiber.heldLocks += 1
  }

  public borrowing func unlock() {
    state.isHeld = false
    guard let simulation = Simulation.current, let fiber = simulation.runningFiber else { return }
    fiber.heldLocks -= 1
    state.holder = nil
    let waiters = state.waiters
    state.waiters = []
    for waiter in waiters { simulation.makeReady(waiter) }
    simulation.step()
  }
}

/// `DispatchSemaphore` of a simulation.
public final class SimulatedSemaphore: @unchecked Sendable {  // one real thread
  private var value: Int
  private var waiters: [Fiber] = []
  private let initial: Int
  private var schedule = Simulation.current?.number ?? 0

  public init(value: Int) {
    self.value = value
    initial = value
  }

  /// Resets the value in each schedule, for a semaphore in a static variable.
  private func begin() {
    guard let number = Simulation.current?.number, number != schedule else { return }
    schedule = number
    value = initial
    waiters = []
  }

  public func wait() {
    begin()
    Simulation.point()
    while value == 0 {
      guard let simulation = Simulation.current, let fiber = simulation.runningFiber else {
        fatalError("A thread outside the simulation would block.")
      }
      waiters.append(fiber)
      simulation.block("a semaphore")
    }
    value -= 1
  }

  @discardableResult
  public func wait(timeout: SimulatedTime) -> DispatchTimeoutResult {
    begin()
    Simulation.point()
    guard let simulation = Simulation.current, let fiber = simulation.runningFiber else { return .timedOut }
    simulation.schedule(at: timeout.uptimeNanoseconds) { simulation.makeReady(fiber, from: self) }
    while value == 0 {
      if SimulatedTime.now() >= timeout {
        waiters.removeAll { $0 === fiber }
        return .timedOut
      }
      if !waiters.contains(where: { $0 === fiber }) { waiters.append(fiber) }
      fiber.waitsFor = self
      simulation.block("a semaphore, for a time")
      fiber.waitsFor = nil
    }
    waiters.removeAll { $0 === fiber }
    value -= 1
    return .success
  }

  @discardableResult
  public func signal() -> Int {
    begin()
    value += 1
    let waiter = waiters.isEmpty ? nil : waiters.removeFirst()
    if let waiter { Simulation.current?.makeReady(waiter) }
    Simulation.point()
    return waiter == nil ? 0 : 1
  }
}

/// `DispatchGroup` of a simulation.
public final class SimulatedGroup: @unchecked Sendable {  // one real thread
  private var count = 0
  private var waiting: [(SimulatedQueue, @Sendable () -> Void)] = []
  private let done = SimulatedSemaphore(value: 0)

  public init() {}

  public func enter() { count += 1 }

  public func leave() {
    count -= 1
    flush()
    Simulation.point()
  }

  public func notify(queue: SimulatedQueue, execute body: @escaping @Sendable () -> Void) {
    waiting.append((queue, body))
    flush()
  }

  private func flush() {
    guard count == 0 else { return }
    for (queue, body) in waiting { queue.enqueue(body) }
    waiting = []
  }
}

/// `Atomic` of a simulation: each access is a scheduling point, and all accesses have one total order.
public struct SimulatedAtomic<Value: AtomicRepresentable>: ~Copyable, @unchecked Sendable {  // one real thread
  private let value: UnsafeMutablePointer<Value>

  public init(_ value: Value) {
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    value.deinitialize(count: 1)
    value.deallocate()
  }

  public borrowing func load(ordering: AtomicLoadOrdering) -> Value {
    Simulation.point()
    return value.pointee
  }

  public borrowing func store(_ new: Value, ordering: AtomicStoreOrdering) {
    Simulation.point()
    value.pointee = new
  }

  public borrowing func exchange(_ new: Value, ordering: AtomicUpdateOrdering) -> Value {
    Simulation.point()
    defer { value.pointee = new }
    return value.pointee
  }

  public borrowing func compareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    Simulation.point()
    let original = value.pointee
    let isSame = withUnsafeBytes(of: expected) { expected in
      withUnsafeBytes(of: original) { expected.elementsEqual($0) }
    }
    if isSame { value.pointee = desired }
    return (isSame, original)
  }
}

extension SimulatedAtomic where Value: FixedWidthInteger {
  @discardableResult
  public borrowing func add(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value) {
    Simulation.point()
    defer { value.pointee += operand }
    return (value.pointee, value.pointee + operand)
  }

  @discardableResult
  public borrowing func subtract(_ operand: Value, ordering: AtomicUpdateOrdering) -> (oldValue: Value, newValue: Value)
  {
    Simulation.point()
    defer { value.pointee -= operand }
    return (value.pointee, value.pointee - operand)
  }

  @discardableResult
  public borrowing func bitwiseOr(_ operand: Value, ordering: AtomicUpdateOrdering) -> (
    oldValue: Value, newValue: Value
  ) {
    Simulation.point()
    defer { value.pointee |= operand }
    return (value.pointee, value.pointee | operand)
  }

  @discardableResult
  public borrowing func bitwiseAnd(_ operand: Value, ordering: AtomicUpdateOrdering) -> (
    oldValue: Value, newValue: Value
  ) {
    Simulation.point()
    defer { value.pointee &= operand }
    return (value.pointee, value.pointee & operand)
  }
}
