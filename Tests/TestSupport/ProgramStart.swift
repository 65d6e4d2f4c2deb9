import Foundation

/// Lets tests that run side by side start programs one at a time.
///
/// Starting a program closes in it the descriptors that were found open a moment before. A pipe that another thread
/// creates in between would stay open in that program, and its reader would wait for its end as long as the program
/// runs.
package enum ProgramStart {
  private static let lock = NSLock()

  /// More than `Process.run()` allocates before it lists descriptors, and less than what malloc maps by itself.
  private static let spareBytes = 96 << 10
  // nonisolated(unsafe): guarded by the lock.
  private nonisolated(unsafe) static var spare: UnsafeMutableRawPointer?

  /// Runs `body`, which creates the pipes of a program and starts it, while no other program is started.
  package static func alone<T>(_ body: () throws -> T) rethrows -> T {
    begin()
    defer { end() }
    return try body()
  }

  /// Begins what `alone` does, for initializers. Call `end()` once the program is started.
  package static func begin() {
    lock.lock()
    keepMemoryBehindLists()
  }

  package static func end() { lock.unlock() }

  /// On Linux, Foundation up to Swift 6.3 reads up to 256 bytes behind the buffer in which `Process.run()` lists the
  /// process's descriptors, if there are more than about a thousand (swift-corelibs-foundation, pull request 5472). At the end
  /// of the heap, that is a crash. A block that was just freed leaves mapped memory behind the buffer that takes its place.
  private static func keepMemoryBehindLists() {
    #if os(Linux)
      // Kept in a variable, or the optimizer would leave out both calls.
      spare = malloc(spareBytes)
      free(spare)
    #endif
  }
}
