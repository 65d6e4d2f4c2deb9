#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Tells a process from a child that it forked, in which nothing of this library may be used.
///
/// The child has one thread of its parent's, and a copy of everything else: locks that the other threads hold stay locked,
/// `Synchronization.Mutex` traps where the thread that forked contends for one, and SQLite believes in file locks that only
/// the parent holds. So a child takes no lock: each entry point asks here first.
package enum ForkGuard {
  private static let forks = Atomic<UInt64>(0)
  private static let installed: Void = {
    _ = pthread_atfork(nil, nil, { ForkGuard.forks.add(1, ordering: .relaxed) })
  }()

  /// True in a process that is no forked child of one that used this library.
  @inline(__always)
  package static var isOriginal: Bool { forks.load(ordering: .relaxed) == 0 }

  /// From now on children are told apart.
  static func install() { _ = installed }
}
