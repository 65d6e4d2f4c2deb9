import Synchronization

/// Keeps one object for its next use, by any thread. Creating a coder's buffers takes longer than encoding a small
/// value.
struct SpareSlot<Object: AnyObject>: ~Copyable {
  /// The address of a retained object, or 0.
  private let address = Atomic<UInt>(0)

  init() {}

  deinit { _ = take() }

  /// Returns the object, and empties the slot.
  func take() -> Object? {
    let taken = address.exchange(0, ordering: .acquiring)
    guard let pointer = UnsafeRawPointer(bitPattern: taken) else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Stores an object that nobody else refers to. Releases it if the slot is full.
  func give(_ object: Object) {
    let retained = Unmanaged.passRetained(object)
    let stored = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: retained.toOpaque()), ordering: .releasing)
    if !stored.exchanged { retained.release() }
  }
}
