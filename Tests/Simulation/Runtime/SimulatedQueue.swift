public import Dispatch

/// The threads of the simulated Dispatch. A queue takes one for as long as it has work, and waits if all are taken.
/// libdispatch has 255 of them; a schedule has few, so that work waits for threads early.
struct Pool {
  var waiting: [SimulatedQueue] = []
  var idle: [Fiber] = []
  var count = 0
  var isClosing = false

  var isIdle: Bool { waiting.isEmpty && idle.count == count }

  func describe() -> [String] { waiting.map { "\($0.label): \($0.work.count) blocks wait for a thread" } }
}

/// The part of `DispatchQueue` that the library uses, for a simulation.
public final class SimulatedQueue: @unchecked Sendable {  // one real thread
  public typealias Work = @Sendable () -> Void

  public let label: String
  let isConcurrent: Bool
  var work: [Work] = []
  var isDraining = false
  private var suspensions = 0
  private var specifics: [ObjectIdentifier: Any] = [:]

  public struct Attributes: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let concurrent = Self(rawValue: 1)
  }

  public init(label: String, qos: DispatchQoS = .default, attributes: Attributes = []) {
    self.label = label
    isConcurrent = attributes.contains(.concurrent)
  }

  private static let globalQueue = SimulatedQueue(label: "global", attributes: .concurrent)
  public static func global(qos: DispatchQoS.QoSClass = .default) -> SimulatedQueue { globalQueue }

  public func async(execute body: @escaping Work) {
    Simulation.point()
    enqueue(body)
    Simulation.point()
  }

  public func asyncAfter(deadline: SimulatedTime, execute body: @escaping Work) {
    Simulation.point()
    Simulation.current?.schedule(at: deadline.uptimeNanoseconds) { [self] in enqueue(body) }
  }

  public func suspend() {
    Simulation.point()
    suspensions += 1
  }

  public func resume() {
    suspensions -= 1
    wake()
    Simulation.point()
  }

  public func setSpecific<T>(key: SimulatedSpecificKey<T>, value: T?) { specifics[ObjectIdentifier(key)] = value }

  public static func getSpecific<T>(key: SimulatedSpecificKey<T>) -> T? {
    Simulation.current?.runningFiber?.queue?.specifics[ObjectIdentifier(key)] as? T
  }

  func enqueue(_ body: @escaping Work) {
    guard isConcurrent else {
      work.append(body)
      return wake()
    }
    // Each block of a concurrent queue has its own thread.
    let one = SimulatedQueue(label: label)
    one.specifics = specifics
    one.enqueue(body)
  }

  private func wake() {
    guard suspensions == 0, !work.isEmpty, !isDraining, let simulation = Simulation.current else { return }
    isDraining = true
    simulation.pool.waiting.append(self)
    simulation.startPoolThread()
  }

  func drain(on fiber: Fiber) {
    fiber.queue = self
    while suspensions == 0, !work.isEmpty {
      let next = work.removeFirst()
      Simulation.point()
      next()
    }
    fiber.queue = nil
    isDraining = false
    wake()
  }
}

public final class SimulatedSpecificKey<T>: @unchecked Sendable {  // an identity
  public init() {}
}

extension Simulation {
  func startPoolThread() {
    if let fiber = pool.idle.popLast() { return makeReady(fiber) }
    guard pool.count < options.poolLimit else { return }
    pool.count += 1
    spawn("pool \(pool.count)") { [self] in
      defer { pool.count -= 1 }
      while let fiber = runningFiber {
        if pool.waiting.isEmpty {
          if pool.isClosing { return }
          pool.idle.append(fiber)
          block("work")
        } else {
          pool.waiting.removeFirst().drain(on: fiber)
        }
      }
    }
  }
}
