#if DFLATKV_SIMULATION
  // See the file of the same name in DflatCore.
  import SimulatedRuntime

  typealias Atomic = SimulatedAtomic
  typealias ContinuousClock = SimulatedClock

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
#endif
