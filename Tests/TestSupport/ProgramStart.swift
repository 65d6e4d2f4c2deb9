import Foundation

/// Lets tests that run side by side start programs one at a time.
///
/// Starting a program closes in it the descriptors that were found open a moment before. A pipe that another thread
/// creates in between would stay open in that program, and its reader would wait for its end as long as the program
/// runs.
package enum ProgramStart {
  /// Held from the creation of a program's pipes until the program is started.
  package static let lock = NSLock()

  /// Runs `body`, which creates the pipes of a program and starts it, while no other program is started.
  package static func alone<T>(_ body: () throws -> T) rethrows -> T { try lock.withLock(body) }
}
