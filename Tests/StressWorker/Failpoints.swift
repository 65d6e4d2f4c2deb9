import DflatCore
import Foundation
import Synchronization

/// Runs `action` whenever this process reaches the failpoint of that name. Release builds have none.
func arm(_ failpoint: String, _ action: @escaping @Sendable () -> Void) {
  #if DEBUG
    Failpoint(rawValue: failpoint)?.arm { action() }
  #endif
}

/// Kills this process when it reaches the failpoint of that name for the given time.
func armToKill(at failpoint: String, after hits: Int) {
  let left = HitCounter(hits)
  arm(failpoint) {
    if left.value.subtract(1, ordering: .relaxed).newValue == 0 { kill(getpid(), SIGKILL) }
  }
}

private final class HitCounter: Sendable {
  let value: Atomic<Int>
  init(_ value: Int) { self.value = Atomic(value) }
}
