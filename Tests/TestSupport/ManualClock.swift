package import DflatCore
import Synchronization

/// A wall clock that a test sets.
package final class ManualClock: Sendable {
  private let milliseconds: Atomic<Int64>

  package init(at milliseconds: Int64 = 1_800_000_000_000) { self.milliseconds = Atomic(milliseconds) }

  package var clock: WallClock { WallClock { [self] in milliseconds.load(ordering: .relaxed) } }
  package var now: Int64 { milliseconds.load(ordering: .relaxed) }

  package func advance(by milliseconds: Int64) { self.milliseconds.add(milliseconds, ordering: .relaxed) }
}
