public import Dispatch

extension DispatchTimeInterval {
  var inNanoseconds: UInt64 {
    switch self {
    case .seconds(let count): UInt64(count) * 1_000_000_000
    case .milliseconds(let count): UInt64(count) * 1_000_000
    case .microseconds(let count): UInt64(count) * 1_000
    case .nanoseconds(let count): UInt64(count)
    case .never: 1 << 62
    @unknown default: 0
    }
  }
}

/// `DispatchTime` of a simulation.
public struct SimulatedTime: Comparable, Sendable {
  public var uptimeNanoseconds: UInt64

  public static func now() -> SimulatedTime { SimulatedTime(uptimeNanoseconds: Simulation.current?.now ?? 0) }

  public static func < (left: Self, right: Self) -> Bool { left.uptimeNanoseconds < right.uptimeNanoseconds }

  public func advanced(by interval: DispatchTimeInterval) -> Self {
    Self(uptimeNanoseconds: uptimeNanoseconds &+ interval.inNanoseconds)
  }
}

/// `ContinuousClock` of a simulation.
public struct SimulatedClock: Sendable {
  public struct Instant: InstantProtocol {
    var nanoseconds: Int64

    public static var now: Instant { Instant(nanoseconds: Int64(Simulation.current?.now ?? 0)) }

    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
    public func advanced(by duration: Duration) -> Self {
      Self(nanoseconds: nanoseconds + Int64(duration / .nanoseconds(1)))
    }
    public func duration(to other: Self) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
  }

  public init() {}
  public static var now: Instant { .now }
  public var now: Instant { .now }
}

/// `usleep` of a simulation.
public func simulatedSleep(microseconds: UInt32) {
  Simulation.current?.sleep(nanoseconds: UInt64(microseconds) * 1_000)
}

/// `DispatchSourceTimer` of a simulation.
public protocol SimulatedSourceTimer: AnyObject, Sendable {
  func schedule(deadline: SimulatedTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval)
  func setEventHandler(handler: (@Sendable () -> Void)?)
  func activate()
  func cancel()
}

/// `DispatchSource` of a simulation, which has only timers.
public enum SimulatedSource {
  public static func makeTimerSource(queue: SimulatedQueue) -> any SimulatedSourceTimer { Timer(queue: queue) }

  private final class Timer: SimulatedSourceTimer, @unchecked Sendable {  // one real thread
    private let queue: SimulatedQueue
    private var handler: (@Sendable () -> Void)?
    private var due = SimulatedTime.now()
    private var interval: UInt64 = 0
    private var isCancelled = false
    private var isActive = false

    init(queue: SimulatedQueue) { self.queue = queue }

    func schedule(deadline: SimulatedTime, repeating interval: DispatchTimeInterval, leeway: DispatchTimeInterval) {
      due = deadline
      self.interval = interval.inNanoseconds
    }

    func setEventHandler(handler: (@Sendable () -> Void)?) { self.handler = handler }

    func activate() {
      guard !isActive else { return }
      isActive = true
      arm()
    }

    private func arm() {
      Simulation.current?.schedule(at: due.uptimeNanoseconds) { [self] in
        guard !isCancelled else { return }
        queue.enqueue { [self] in if !isCancelled { handler?() } }
        due.uptimeNanoseconds &+= interval
        arm()
      }
    }

    func cancel() {
      isCancelled = true
      handler = nil
    }
  }
}
