#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
#if canImport(ObjectiveC)
  import ObjectiveC
#endif
import Dispatch

/// The threads of this package, all of which begin here.
///
/// libdispatch gives a process at most 255 threads for work that blocks, and a program may block all of them while it waits
/// for a workspace. So nothing that a workspace's progress depends on runs there. A thread that has finished its work
/// waits for more for a while, whichever workspace's it is.
package enum Threads {
  private struct State {
    var idle: [PooledThread] = []
  }

  fileprivate static let idleTime = DispatchTimeInterval.seconds(5)

  private static let state = Lock(State())

  /// Runs `work` on a thread on which nothing else runs meanwhile.
  package static func run(_ work: @escaping @Sendable () -> Void) {
    let found = state.withLock { state -> PooledThread? in
      let thread = state.idle.popLast()
      thread?.work = work
      return thread
    }
    if let found { return found.wake() }
    PooledThread(work).start()
  }

  /// Runs one piece of work of a thread that may not end for long: what it autoreleases is released when it ends.
  static func pooling(_ work: () -> Void) {
    #if canImport(ObjectiveC)
      autoreleasepool { work() }
    #else
      work()
    #endif
  }

  /// Blocks this thread for that long.
  package static func sleep(microseconds: UInt32) { usleep(microseconds) }

  fileprivate static func park(_ thread: PooledThread) { state.withLock { $0.idle.append(thread) } }

  /// False when the thread has been given work in the meantime.
  fileprivate static func retire(_ thread: PooledThread) -> Bool {
    state.withLock { state in
      state.idle.removeAll { $0 === thread }
      return thread.work == nil
    }
  }

  fileprivate static func takeWork(of thread: PooledThread) -> (@Sendable () -> Void)? {
    state.withLock { _ in thread.work.take() }
  }
}

/// A thread that runs one piece of work after another.
private final class PooledThread: @unchecked Sendable {  // `work` is guarded by the lock of `Threads`
  var work: (@Sendable () -> Void)?
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
    // The system is short of threads or memory: as libdispatch does, wait until it has some.
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

  /// Signals are for the program's own threads.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    for fault in [SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGPROF] { sigdelset(&signals, fault) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func run() {
    while true {
      runWork()
      // A child that the work forked ends with it.
      if !ForkGuard.isOriginal { return }
      Threads.park(self)
      if semaphore.wait(timeout: .now() + Threads.idleTime) == .success { continue }
      if Threads.retire(self) { return }
      semaphore.wait()
    }
  }

  private func runWork() { Threads.pooling { Threads.takeWork(of: self)?() } }
}
