#if DFLATKV_SIMULATION
  import DflatCore
  import Dispatch
  // See the file of the same name in DflatCore.
  public import SimulatedRuntime

  typealias Atomic = SimulatedAtomic
  typealias DispatchTime = SimulatedTime
  /// The simulated machine's queue, in place of Dispatch's.
  public typealias DispatchQueue = SimulatedQueue

  extension UInt64 {
    /// Returns a constant, so that random numbers don't affect the schedule.
    static func random(in range: ClosedRange<UInt64>) -> UInt64 { 0x9e37_79b9_7f4a_7c15 }
  }

  func + (time: SimulatedTime, interval: DispatchTimeInterval) -> SimulatedTime { time.advanced(by: interval) }

  extension WorkspaceDictionary {
    /// Flushes without Swift's executors, which have threads of their own.
    package func flush(then body: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      let store = store
      guard store.uncommitted.areAny else { return body(Result { try store.throwFailure(.success(())) }) }
      store.core.pipeline.flushLater(
        completion: .waking { result in body(Result { try store.throwFailure(result) }) })
    }
  }
#endif
