import CFaultVFS

/// Counts the calls of `malloc`, `calloc` and `realloc` on the current thread.
package enum Allocations {
  /// False if nothing is counted: under a sanitizer, or without the GNU C library.
  package static var areCounted: Bool { testsupport_counts_allocations() != 0 }

  /// Returns the number of allocations that `body` makes on this thread.
  package static func count(during body: () -> Void) -> UInt64 {
    let before = testsupport_allocations()
    body()
    return testsupport_allocations() - before
  }

  /// Returns the size in bytes of the largest allocation that `body` makes on this thread.
  package static func largest(during body: () throws -> Void) rethrows -> UInt64 {
    _ = testsupport_largest_allocation()
    try body()
    return testsupport_largest_allocation()
  }
}
