import Foundation
import TestSupport

/// What the driver gives a machine.
struct TortureEnvironment: Sendable {
  /// The machine's folder: empty before each round, kept with a finding. It is also the process's `TMPDIR`.
  let folder: String
  /// How long the machine's process runs.
  let seconds: Double
  /// Whether a single seed is replayed: time to print more.
  let isReplay: Bool

  /// A new folder in the machine's folder, for one round.
  func directory(_ name: String) throws -> TemporaryDirectory {
    try TemporaryDirectory(keeping: "\(folder)/\(name)-\(UInt32.random(in: 0...UInt32.max))")
  }

  /// Says something that belongs beneath the table, once.
  func note(_ text: String) { MachineLine.note(text).write() }

  /// Counts something that is listed beneath the table with how often it happened.
  func count(_ what: String, times: Int = 1) { MachineLine.count(what, times: times).write() }
}
