import DflatSupport
import Synchronization

/// Distinguishes a process from its forked children, in which nothing of this library can be used.
///
/// A child has one of its parent's threads, and a copy of everything else. Locks that other threads hold stay locked;
/// `Synchronization.Mutex` traps if the forking thread contends for one; SQLite relies on file locks that only the
/// parent holds. So a child takes no lock: each entry point asks here first.
package enum ForkGuard {
  private static let forks = Atomic<UInt64>(0)
  private static let installed: Void = {
    _ = pthread_atfork(nil, nil, { ForkGuard.forks.add(1, ordering: .relaxed) })
  }()

  /// True unless this process is a forked child of one that used this library.
  @inline(__always)
  package static var isOriginal: Bool { forks.load(ordering: .relaxed) == 0 }

  /// Starts to detect forks.
  static func install() { _ = installed }
}
