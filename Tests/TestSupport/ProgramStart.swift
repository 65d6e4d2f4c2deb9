import Foundation

/// Lets tests that run side by side start programs one at a time.
///
/// Starting a program closes in it the descriptors that were found open a moment before. A pipe that another thread made in
/// between would stay open in that program, and whoever reads the pipe would wait for its end as long as the program runs.
package enum ProgramStart {
  /// Held from the making of a program's pipes until it is started.
  package static let lock = NSLock()

  /// Runs `body`, which makes the pipes of a program and starts it, while no other program is started.
  package static func alone<T>(_ body: () throws -> T) rethrows -> T { try lock.withLock(body) }
}
