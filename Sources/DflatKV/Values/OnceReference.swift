import Synchronization

/// A reference that only the first caller sets. Unlike `AtomicLazyReference` it is inlined and specialized: calls into
/// the library, with their type metadata, take a tenth of a cold read.
struct OnceReference<Object: AnyObject & Sendable>: ~Copyable, Sendable {
  /// Retained.
  private let object = Atomic<Unmanaged<Object>?>(nil)

  init() {}

  deinit { object.load(ordering: .acquiring)?.release() }

  @inline(__always)
  func load() -> Object? { object.load(ordering: .acquiring)?.takeUnretainedValue() }

  /// Stores a reference unless there is one. Returns the reference that is stored afterwards.
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
