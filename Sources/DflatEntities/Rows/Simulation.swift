#if DFLATKV_SIMULATION
  // See the file of the same name in DflatCore.
  import SimulatedRuntime

  typealias Atomic = SimulatedAtomic
  typealias ContinuousClock = SimulatedClock

  func + (instant: ContinuousClock.Instant, duration: Duration) -> ContinuousClock.Instant {
    instant.advanced(by: duration)
  }
#endif
