#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import Synchronization

/// Tells a process from a child that it forked: SQLite's connections and locks don't survive `fork`.
package enum ForkGuard {
  private static let forks = Atomic<UInt64>(0)
  private static let installed: Void = {
    _ = pthread_atfork(nil, nil, { ForkGuard.forks.add(1, ordering: .relaxed) })
  }()

  /// True in a process that is no forked child of one that used this library.
  @inline(__always)
  package static var isOriginal: Bool { forks.load(ordering: .relaxed) == 0 }

  /// A number that differs in a forked child.
  package static var generation: UInt64 {
    _ = installed
    return forks.load(ordering: .relaxed)
  }
}
