import DflatCore
import Foundation
import Synchronization

/// Runs `action` whenever this process reaches the failpoint of that name. Release builds have none.
func arm(_ failpoint: String, _ action: @escaping @Sendable () -> Void) {
  #if DEBUG
    Failpoint(rawValue: failpoint)?.arm { action() }
  #endif
}

/// Kills this process when it reaches the failpoint of that name for the given number of times.
func armToKill(at failpoint: String, after hits: Int) {
  let hit = HitCounter()
  arm(failpoint) { if hit.next() == hits { KillSteps.die(in: failpoint) } }
}

/// Counts from 1, on any threads.
final class HitCounter: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
