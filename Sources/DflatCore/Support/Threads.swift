#if canImport(ObjectiveC)
  import ObjectiveC
#endif
import DflatSupport
import Dispatch
import Synchronization

/// The threads of this package, all of which start here.
///
/// libdispatch gives a process at most 255 threads for blocking work, and a program may block all of them while it
/// waits for a workspace. So nothing that a workspace's progress depends on runs there. A thread that has finished its
/// work waits a while for more, from any workspace.
///
/// To wake a sleeping thread on an idle core takes about as long as to commit a small transaction. So while work follows
/// work closely, one of the idle threads spins for up to `spinTime` before it sleeps.
package enum Threads {
  private struct State {
    var sleeping: [PooledThread] = []
    var spinning: PooledThread?
    /// The instant at which a thread last ran out of work.
    var idleSince = ContinuousClock.now
    /// True if the last work came within `spinTime` after a thread had run out of it.
    var isBusy = false
  }

  fileprivate static let idleTime = DispatchTimeInterval.seconds(5)

  /// The longest time for which a thread spins. Zero where that would keep other threads from running.
  private static let spinTime: Duration = {
    #if DFLATKV_SIMULATION
      .zero
    #else
      sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? .microseconds(50) : .zero
    #endif
  }()

  private static let state = Lock(State())

  /// Runs `work` on a thread of its own.
  package static func run(_ work: @escaping @Sendable () -> Void) {
    let now = ContinuousClock.now
    let (found, isSleeping) = state.withLock { state -> (PooledThread?, Bool) in
      state.isBusy = now - state.idleSince < spinTime
      let spinning = state.spinning.take()
      let thread = spinning ?? state.sleeping.popLast()
      thread?.work = work
      thread?.isSpinning.store(false, ordering: .releasing)
      return (thread, spinning == nil)
    }
    guard let found else { return PooledThread(work).start() }
    if isSleeping { found.wake() }
  }

  /// Runs one piece of work, and then releases the objects that it autoreleased: the thread itself may run for long.
  static func pooling(_ work: () -> Void) {
    #if canImport(ObjectiveC)
      autoreleasepool { work() }
    #else
      work()
    #endif
  }

  /// A number that identifies this thread.
  static var number: UInt {
    #if canImport(Darwin) || canImport(Musl)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Blocks this thread for the given time.
  package static func sleep(microseconds: UInt32) { usleep(microseconds) }

  /// Adds a thread without work to the idle ones. Returns until when it is to spin, or nil if it is to sleep.
  fileprivate static func park(_ thread: PooledThread) -> ContinuousClock.Instant? {
    let now = ContinuousClock.now
    return state.withLock { state in
      state.idleSince = now
      guard state.isBusy, state.spinning == nil else {
        state.sleeping.append(thread)
        return nil
      }
      state.spinning = thread
      thread.isSpinning.store(true, ordering: .relaxed)
      return now + spinTime
    }
  }

  /// Makes a spinning thread a sleeping one. Returns false if it got work in the meantime.
  fileprivate static func endSpinning(_ thread: PooledThread) -> Bool {
    state.withLock { state in
      guard state.spinning === thread else { return false }
      state.spinning = nil
      state.sleeping.append(thread)
      return true
    }
  }

  /// Removes a sleeping thread from the idle ones. Returns false if it got work in the meantime.
  fileprivate static func retire(_ thread: PooledThread) -> Bool {
    state.withLock { state in
      state.sleeping.removeAll { $0 === thread }
      return thread.work == nil
    }
  }

  /// Takes the work that was assigned to a thread.
  fileprivate static func takeWork(of thread: PooledThread) -> (@Sendable () -> Void)? {
    state.withLock { _ in thread.work.take() }
  }
}

/// A thread that runs one piece of work after another.
private final class PooledThread: @unchecked Sendable {  // `work` is guarded by the lock of `Threads`
  var work: (@Sendable () -> Void)?
  /// Written with the lock of `Threads`, read without it.
  let isSpinning = Atomic(false)
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ work: @escaping @Sendable () -> Void) { self.work = work }

  func wake() { semaphore.signal() }

  func start() {
    #if canImport(Darwin) || canImport(Musl)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(self).toOpaque()
    // The system is short of threads or memory. Wait until it has some, as libdispatch does.
    while pthread_create(&thread, nil, { PooledThread.main($0) }, argument) != 0 { usleep(10_000) }
    #if canImport(Darwin) || canImport(Musl)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let thread = Unmanaged<PooledThread>.fromOpaque(argument).takeRetainedValue()
    blockSignals()
    thread.run()
    return nil
  }

  /// Blocks all signals except faults and SIGPROF: other signals are for the program's own threads.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func run() {
    while true {
      runWork()
      // In a child that the work forked, end the thread with the work.
      if !ForkGuard.isOriginal { return }
      if let end = Threads.park(self), spinsIntoWork(until: end) { continue }
      if semaphore.wait(timeout: .now() + Threads.idleTime) == .success { continue }
      if Threads.retire(self) { return }
      semaphore.wait()
    }
  }

  /// Spins until the thread gets work, or until `end`. Returns false if it got none.
  private func spinsIntoWork(until end: ContinuousClock.Instant) -> Bool {
    while isSpinning.load(ordering: .acquiring) {
      if ContinuousClock.now >= end { return !Threads.endSpinning(self) }
    }
    return true
  }

  private func runWork() { Threads.pooling { Threads.takeWork(of: self)?() } }
}
