#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The time that the computer's clock shows, which unlike other clocks means the same in all processes, and after a restart.
package struct WallClock: Sendable {
  /// Returns the milliseconds since 1970 in UTC.
  package let now: @Sendable () -> Int64

  package init(_ now: @escaping @Sendable () -> Int64) { self.now = now }

  #if DFLATKV_SIMULATION
    package static let system = WallClock {
      1_700_000_000_000 + Int64(DispatchTime.now().uptimeNanoseconds / 1_000_000)
    }
  #else
    package static let system = WallClock { Int64((Date().timeIntervalSince1970 * 1_000).rounded(.down)) }
  #endif
}

/// The time of a transaction or snapshot. It stands still, so that what is read in it is of one instant.
package struct FixedTime {
  private var milliseconds: Int64?

  package init() {}

  /// Returns the clock's time at the first call.
  package mutating func now(by clock: WallClock) -> Int64 {
    if let milliseconds { return milliseconds }
    let now = clock.now()
    milliseconds = now
    return now
  }
}
