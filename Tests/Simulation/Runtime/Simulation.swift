import CFibers
import DflatSupport

/// Runs a program of many simulated threads on one real thread. A seed decides which thread runs at each scheduling
/// point, and time passes when the schedule says so. A process runs one simulation at a time.
///
/// Scheduling points are the primitives that the library is built on (locks, atomics, promises, queues, timers, the
/// calls of SQLite's VFS). A thread runs alone between two of them, so faults of weak memory ordering are left to the
/// thread sanitizer.
public final class Simulation {
  nonisolated(unsafe) public private(set) static var current: Simulation?

  nonisolated(unsafe) private static var lastNumber = 0
  /// A number that identifies the schedule within its process.
  let number: Int
  public let options: ScheduleOptions
  public private(set) var steps = 0
  public private(set) var switches = 0
  /// Virtual time in nanoseconds. A schedule begins at one second.
  public private(set) var now: UInt64 = 1_000_000_000
  /// A digest of the choices.
  private var trace: UInt64 = 0xcbf2_9ce4_8422_2325
  /// A digest of all events: two runs of one seed have the same digest.
  public var digest: UInt64 {
    var random = random
    return [random.next(), now, UInt64(steps)].reduce(trace) { ($0 ^ $1) &* 0x100_0000_01b3 }
  }
  /// The largest number of threads that the library had at one time.
  public private(set) var mostThreads = 0
  private var programThreads = 1
  public private(set) var faults = 0
  public var random: SplitMix
  /// True to print each choice.
  public var logsChoices = false
  /// Called when a schedule fails. It must not return.
  public var onFailure: (String) -> Never = { fatalError($0) }

  private var running: Fiber?
  private var ready: [Fiber] = []
  private var all: [Fiber] = []
  private var lastNumber = 0
  private let host = fiber_main()
  private var timers: [(at: UInt64, order: Int, action: () -> Void)] = []  // latest first
  private var lastTimer = 0
  private var finishedFiber: Fiber?
  private var changePoints: Set<Int> = []
  private var lowestPriority: UInt64 = 1 << 32
  private var isMainDone = false
  private var lastProgress: UInt64 = 1_000_000_000
  private var calm = 0
  private var areFaultsOver = false
  private var areStallsOver = false
  var pool = Pool()

  /// Virtual time within which some thread of the program has to make progress: more than any timeout of the library.
  private static let patience: UInt64 = 60_000_000_000
  private static let maximumSteps = 4_000_000

  public init(seed: UInt64, options: ScheduleOptions) {
    Simulation.lastNumber += 1
    number = Simulation.lastNumber
    self.options = options
    random = SplitMix(seed)
    if case .priorities(let changes) = options.strategy {
      // Most schedules have 2,000 to 5,000 points.
      let last = [1_000, 3_000, 10_000][random.below(3)]
      for _ in 0..<changes { changePoints.insert(random.below(last)) }
    }
  }

  /// Runs a program to the end of `main`, which calls `finish` last.
  public func run(_ main: @escaping () -> Void) {
    precondition(Simulation.current == nil, "One simulation at a time.")
    Simulation.current = self
    spawn("main") { [self] in
      main()
      isMainDone = true
    }
    resume(choose())
    // Control returns here when the main thread has ended.
    Simulation.current = nil
    running = nil
    for fiber in all { fiber.context.map { fiber_free($0) } }
    all = []
    host.map { fiber_free($0) }
  }

  /// Gives programs that this process executes from now on the same addresses in each run.
  public static func fixAddresses() { fiber_fix_addresses() }

  // MARK: Threads

  /// Starts a simulated thread.
  @discardableResult
  func spawn(_ name: String, _ body: @escaping () -> Void) -> Fiber {
    lastNumber += 1
    let fiber = Fiber(number: lastNumber, name: name, priority: (1 << 33) + random.next() >> 8, body: body)
    fiber.context = fiber_make(
      { Unmanaged<Fiber>.fromOpaque($0!).takeUnretainedValue().runToEnd() }, Unmanaged.passUnretained(fiber).toOpaque())
    guard fiber.context != nil else { fail("No memory for another thread.") }
    all.append(fiber)
    mostThreads = max(mostThreads, all.count - programThreads)
    ready.append(fiber)
    return fiber
  }

  var runningFiber: Fiber? { running }

  fileprivate func finish(_ fiber: Fiber) -> Never {
    fiber.state = .finished
    fiber.body = nil
    if isMainDone { fiber_switch(fiber.context, host) }
    finishedFiber = fiber
    switchAway()
    fatalError("A finished thread ran.")
  }

  /// Blocks the running thread until another one readies it.
  func block(_ reason: String) {
    guard let fiber = running else { fail("A thread outside the simulation would block: \(reason).") }
    fiber.state = .blocked(reason)
    switchAway()
  }

  /// Readies a thread if it still waits for the object.
  func makeReady(_ fiber: Fiber, from object: AnyObject) {
    if fiber.waitsFor === object { makeReady(fiber) }
  }

  func makeReady(_ fiber: Fiber) {
    guard case .blocked = fiber.state else { return }
    fiber.state = .ready
    ready.append(fiber)
  }

  // MARK: Scheduling points

  /// A point at which another thread may run.
  @inline(__always)
  public static func point() { if let current { current.step() } }

  func step() {
    guard let fiber = running, calm == 0, fiber_is_initializing() == 0 else { return }
    steps += 1
    if steps > Self.maximumSteps { fail("A livelock: the schedule took \(steps) steps.") }
    if options.stepNanoseconds > 0 { now &+= UInt64(random.below(options.stepNanoseconds)) }
    if options.stallOneIn > 0, !areStallsOver, random.oneIn(options.stallOneIn), let next = timers.last {
      now = max(now, next.at)
    }
    runTimers()
    switch options.strategy {
    case .randomWalk(let times):
      if ready.isEmpty || !random.oneIn(times) { return }
    case .priorities:
      if changePoints.contains(steps) {
        lowestPriority -= 1
        fiber.priority = lowestPriority
      }
      if !ready.contains(where: { $0.priority > fiber.priority }) { return }
    }
    fiber.state = .ready
    ready.append(fiber)
    switchAway()
  }

  /// Continues with another thread, or with this one if it is chosen.
  private func switchAway() {
    guard let fiber = running else { fail("No thread is running.") }
    let next = choose()
    if next === fiber { fiber.state = .running } else { resume(next) }
  }

  private func resume(_ next: Fiber) {
    let from = running?.context ?? host
    next.state = .running
    running = next
    switches += 1
    fiber_switch(from, next.context)
    reap()
  }

  /// Frees the stack of a thread that has ended, which only the next thread can do.
  fileprivate func reap() {
    guard let fiber = finishedFiber, fiber !== running else { return }
    finishedFiber = nil
    fiber.context.map { fiber_free($0) }
    fiber.context = nil
    all.removeAll { $0 === fiber }
  }

  /// Chooses the next thread. Time passes if no thread can run.
  private func choose() -> Fiber {
    while ready.isEmpty {
      guard let next = timers.last else { fail("No thread can run, and no timer is due: a deadlock.") }
      if next.at > lastProgress + Self.patience {
        fail("No thread made progress for \(Self.patience / 1_000_000_000) s.")
      }
      now = max(now, next.at)
      runTimers()
    }
    let index: Int
    switch options.strategy {
    case .randomWalk: index = ready.count == 1 ? 0 : random.below(ready.count)
    case .priorities: index = ready.indices.max { ready[$0].priority < ready[$1].priority } ?? 0
    }
    let chosen = ready.remove(at: index)
    if logsChoices { print("  \(steps) \(now) \(chosen.number) \(chosen.name) of \(ready.count + 1)") }
    trace = (trace ^ UInt64(truncatingIfNeeded: chosen.number &+ steps &* 64)) &* 0x100_0000_01b3
    return chosen
  }

  // MARK: Time

  /// Runs `action` on the scheduler at that time. The action may only ready threads and enqueue work.
  func schedule(at time: UInt64, _ action: @escaping () -> Void) {
    lastTimer += 1
    var index = timers.endIndex
    while index > 0, timers[index - 1].at <= time { index -= 1 }
    timers.insert((time, lastTimer, action), at: index)
  }

  private func runTimers() {
    while let next = timers.last, next.at <= now {
      timers.removeLast()
      next.action()
    }
  }

  /// Blocks the running thread for that long.
  public func sleep(nanoseconds: UInt64) {
    guard let fiber = running else { return }
    schedule(at: now &+ nanoseconds) { [self] in makeReady(fiber) }
    block("sleep")
  }

  /// Lets the pool's threads end, so that nothing of this schedule is left. This is the last call of the main thread.
  public func finish() {
    // Sweeps and polls that are still due find nothing to do, and idle threads end.
    var seconds = 0
    repeat {
      sleep(nanoseconds: 1_000_000_000)
      seconds += 1
      noteProgress()
    } while seconds < 90 && threads > pool.count + 1
    if threads > pool.count + 1 { fail("A thread still runs after everything is closed.") }
    pool.isClosing = true
    for fiber in pool.idle { makeReady(fiber) }
    pool.idle = []
    var rounds = 0
    while pool.count > 0 {
      rounds += 1
      if rounds > 1_000 { fail("A pool thread still works after everything is closed.") }
      sleep(nanoseconds: 1_000_000)
    }
    timers = []
  }

  // MARK: Progress and failure

  /// Records that a thread of the program made progress.
  public func noteProgress() { lastProgress = now }

  /// True if only timers and idle pool threads are left.
  public var isQuiet: Bool { ready.isEmpty && pool.isIdle }
  public var pendingTimers: Int { timers.count }

  /// True if the running thread holds a lock (A11).
  public var holdsLock: Bool { (running?.heldLocks ?? 0) > 0 }

  private var threads: Int { all.count }

  /// Counts threads of the simulated program, which aren't the library's.
  func noteProgramThread(_ difference: Int) { programThreads += difference }

  /// Returns true if this operation on a file is to fail.
  public func injectsFault() -> Bool { injectsFault(oneIn: options.faultOneIn) }

  /// Returns true if this operation is to fail, by which a workspace follows the commits of another one. The library
  /// tries it again, so the failure must have no visible effect.
  public func injectsFaultInFollowing() -> Bool {
    guard options.followingFaultOneIn > 0, running?.queue?.label == "dflatkv.watch" else { return false }
    return injectsFault(oneIn: options.followingFaultOneIn)
  }

  private func injectsFault(oneIn times: Int) -> Bool {
    guard times > 0, !areFaultsOver, random.oneIn(times) else { return false }
    faults += 1
    return true
  }

  /// Ends fault injection.
  public func endFaults() { areFaultsOver = true }

  /// Ends stalls, which let the time until the next timer pass in one step.
  public func endStalls() { areStallsOver = true }

  public func fail(_ message: String) -> Never {
    calm += 1
    onFailure(message)
  }

  /// Describes the state of every thread, for a report.
  public func describeThreads() -> String {
    var lines = ["at \(Double(now - 1_000_000_000) / 1e6) ms, after \(steps) steps and \(switches) switches:"]
    for fiber in all {
      let state =
        switch fiber.state {
        case .ready: "ready"
        case .running: "running"
        case .blocked(let reason): "waits: \(reason)"
        case .finished: "finished"
        }
      if fiber.queue == nil, fiber.name.hasPrefix("pool"), case .blocked = fiber.state { continue }
      lines.append("  \(fiber.number) \(fiber.name)\(fiber.queue.map { " (\($0.label))" } ?? ""): \(state)")
      lines += Symbols.backtrace(of: fiber.context, isRunning: fiber === running).map { "      \($0)" }
    }
    lines += pool.describe().map { "  queued: \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension Fiber {
  fileprivate func runToEnd() {
    guard let simulation = Simulation.current else { fatalError("A thread ran outside its simulation.") }
    simulation.reap()
    body?()
    simulation.finish(self)
  }
}
