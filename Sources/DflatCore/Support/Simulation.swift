#if DFLATKV_SIMULATION
  // In builds for deterministic simulation, these declarations of a simulated machine shadow the imported ones, so that
  // every call in this module that blocks, waits or reads the time goes through the machine's scheduler.
  import Dispatch
  import Glibc
  public import SimulatedRuntime

  @usableFromInline package typealias Atomic = SimulatedAtomic
  @usableFromInline package typealias RawLock = SimulatedLock
  /// The simulated machine's clock, in place of the standard library's.
  public typealias ContinuousClock = SimulatedClock
  /// The simulated machine's queue, in place of Dispatch's.
  public typealias DispatchQueue = SimulatedQueue
  typealias DispatchSemaphore = SimulatedSemaphore
  typealias DispatchGroup = SimulatedGroup
  typealias DispatchSpecificKey = SimulatedSpecificKey
  typealias DispatchTime = SimulatedTime
  typealias DispatchSource = SimulatedSource
  typealias DispatchSourceTimer = SimulatedSourceTimer

  func + (instant: ContinuousClock.Instant, duration: Duration) -> ContinuousClock.Instant {
    instant.advanced(by: duration)
  }

  func - (instant: ContinuousClock.Instant, earlier: ContinuousClock.Instant) -> Duration {
    earlier.duration(to: instant)
  }

  @discardableResult
  func usleep(_ microseconds: UInt32) -> Int32 {
    simulatedSleep(microseconds: microseconds)
    return 0
  }

  /// Generates constants, as `UInt64.random(in:)` returns one.
  struct SystemRandomNumberGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { .random(in: .min ... .max) }
  }

  extension UInt64 {
    /// Returns a constant: the library's random numbers don't determine the schedule.
    static func random(in range: ClosedRange<UInt64>) -> UInt64 { 0x9e37_79b9_7f4a_7c15 }
  }

  func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time.advanced(by: interval) }

  func pthread_create(
    _ thread: inout pthread_t, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ body: @escaping @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    SimulatedThreads.start { _ = body(argument) }
    return 0
  }

  @discardableResult
  func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }

  @discardableResult
  func pthread_sigmask(_ how: Int32, _ set: UnsafePointer<sigset_t>?, _ old: UnsafeMutablePointer<sigset_t>?) -> Int32 {
    0
  }

  func pthread_self() -> UInt { SimulatedThread.number }

  func pthread_getspecific(_ key: pthread_key_t) -> UnsafeMutableRawPointer? { SimulatedThread.value(of: UInt(key)) }

  @discardableResult
  func pthread_setspecific(_ key: pthread_key_t, _ value: UnsafeRawPointer?) -> Int32 {
    SimulatedThread.set(UnsafeMutableRawPointer(mutating: value), of: UInt(key))
    return 0
  }

  /// Writes to the side file, and notifies the simulated machine's watches.
  func pwrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: off_t) -> Int {
    let written = Glibc.pwrite(descriptor, bytes, count, offset)
    let path = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 4_096) { buffer -> String in
      let length = readlink("/proc/self/fd/\(descriptor)", UnsafeMutableRawPointer(buffer.baseAddress!), buffer.count)
      return String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
    }
    if path.hasSuffix("-dflat") { SimulatedFiles.note(.sideFile, of: String(path.dropLast(6))) }
    return written
  }

  /// The simulated machine's watch, in place of inotify.
  final class FileEvents: Sendable {
    private let watch: Int

    init?(
      databasePath: String, queue: DispatchQueue, handler: @escaping @Sendable (ChangeWatcher.Event) -> Void
    ) {
      let gathering = Gathering()
      watch = SimulatedFiles.watch(databasePath) { event in
        switch event {
        case .sideFile: queue.asyncAfter(deadline: .now()) { handler(.sideFile) }
        case .writeAheadLog:
          if gathering.isDue { return }
          gathering.isDue = true
          queue.asyncAfter(deadline: .now()) { handler(.writeAheadLog) }
          queue.asyncAfter(deadline: .now() + .milliseconds(20)) { gathering.isDue = false }
        }
      }
    }

    private final class Gathering: @unchecked Sendable {  // one real thread
      var isDue = false
    }

    func activate() {}
    func cancel() { SimulatedFiles.unwatch(watch) }
  }

  extension SQLiteWorkspace {
    /// Moves the write-ahead log into the file, as a writer does when a checkpoint is due.
    package func checkpoint(within patience: Duration) throws {
      try core.activity { try core.pipeline.exclusively { try $0.checkpoint(within: patience) } }
    }
  }
#endif
