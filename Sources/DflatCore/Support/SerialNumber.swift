import Synchronization

/// A number that no other workspace or transaction of this process has. Unlike an address, it isn't used again after
/// its owner is gone.
package struct SerialNumber: Hashable, Sendable {
  private static let last = Atomic<UInt64>(0)

  private let value: UInt64

  package init() { value = Self.last.add(1, ordering: .relaxed).newValue }
}
