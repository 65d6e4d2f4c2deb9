import Synchronization

/// A reference that is set once, by whoever comes first: `AtomicLazyReference`, but inlined and specialized. Calls into the
/// library, and the type's metadata for them, are a tenth of a cold read.
struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// Retained.
  private let object = Atomic<Unmanaged<Object>?>(nil)

  init() {}

  deinit { object.load(ordering: .acquiring)?.release() }

  @inline(__always)
  func load() -> Object? { object.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// What is there afterwards.
  @inline(__always)
  @discardableResult
  func storeIfNil(_ desired: Object) -> Object {
    let retained = Unmanaged.passRetained(desired)
    let (isStored, found) = object.compareExchange(
      expected: nil, desired: retained, ordering: .acquiringAndReleasing)
    guard !isStored, let found else { return desired }
    retained.release()
    return found.takeUnretainedValue()
  }
}
