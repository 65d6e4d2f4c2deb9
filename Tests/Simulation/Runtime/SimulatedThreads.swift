/// The running thread's values by key: `pthread_getspecific` and `pthread_setspecific` of a simulation.
public enum SimulatedThread {
  nonisolated(unsafe) private static var outside: [UInt: UnsafeMutableRawPointer] = [:]

  public static func value(of key: UInt) -> UnsafeMutableRawPointer? {
    if let fiber = Simulation.current?.runningFiber { return fiber.slots.isEmpty ? nil : fiber.slots[key] }
    return outside[key]
  }

  public static func set(_ value: UnsafeMutableRawPointer?, of key: UInt) {
    if let fiber = Simulation.current?.runningFiber { fiber.slots[key] = value } else { outside[key] = value }
  }

  /// A number that identifies the running thread.
  public static var number: UInt { UInt(Simulation.current?.runningFiber?.number ?? 0) }
}

/// Threads of the simulated program.
public struct SimulatedThreads {
  private final class Outcome {
    var remaining = 0
    var waiter: Fiber?
  }

  /// Runs each body on a thread of its own, and returns when all have ended.
  public static func run(_ bodies: [(name: String, body: () -> Void)]) {
    guard let simulation = Simulation.current else { return }
    let outcome = Outcome()
    outcome.remaining = bodies.count
    for (name, body) in bodies {
      simulation.noteProgramThread(1)
      simulation.spawn(name) {
        body()
        simulation.noteProgramThread(-1)
        outcome.remaining -= 1
        if outcome.remaining == 0, let waiter = outcome.waiter { simulation.makeReady(waiter) }
      }
    }
    while outcome.remaining > 0 {
      outcome.waiter = simulation.runningFiber
      simulation.block("the program's threads")
    }
  }

  /// Starts one thread: `pthread_create` of a simulation.
  public static func start(_ body: @escaping () -> Void) { Simulation.current?.spawn("thread", body) }
}
