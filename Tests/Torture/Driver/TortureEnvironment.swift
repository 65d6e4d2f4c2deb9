import Foundation
import TestSupport

/// A machine's folder, time and connection to the driver.
struct TortureEnvironment: Sendable {
  /// The machine's folder: empty before each round, and kept if there is a finding. It is also the process's `TMPDIR`.
  let folder: String
  /// The time that the machine's process runs, in seconds.
  let seconds: Double
  /// True if a single seed is replayed, so there is time to print more.
  let isReplay: Bool

  /// Creates a folder in the machine's folder, for one round.
  func directory(_ name: String) throws -> TemporaryDirectory {
    try TemporaryDirectory(keeping: "\(folder)/\(name)-\(UInt32.random(in: 0...UInt32.max))")
  }

  /// Prints a text below the table, once.
  func note(_ text: String) { MachineLine.note(text).write() }

  /// Counts an event. The number of times it happened is listed below the table.
  func count(_ what: String, times: Int = 1) { MachineLine.count(what, times: times).write() }
}
