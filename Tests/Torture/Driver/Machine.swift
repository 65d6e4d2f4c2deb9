/// Generates cases, runs them against the library, and judges the outcome.
///
/// A machine runs in a process of its own, so a trap is a finding and does not end the run. To add one, put it into its
/// own folder next to `Driver`, and add its type to `machines` in `Registry.swift`.
///
///     struct CoinMachine: Machine {
///       static let name = "coins"
///       static let summary = "Flips coins"
///       static let unit = "coins"
///       static let share = 1.0
///       static let goal = 1_000
///
///       init(environment: TortureEnvironment) throws {}
///
///       mutating func round(seed: UInt64) throws -> Int {
///         var random = SeededGenerator(seed: seed)
///         guard Bool.random(using: &random) else { throw Finding("tails", case: "one coin") }
///         return 1
///       }
///     }
protocol Machine: SendableMetatype {
  /// The machine's name for `MACHINE=`: lowercase words with hyphens.
  static var name: String { get }
  /// One line that describes the machine in the table.
  static var summary: String { get }
  /// The unit in which work is counted: "steps", "images".
  static var unit: String { get }
  /// The machine's part of the run's time, relative to the other machines' shares: about its minutes of an hour on two
  /// cores.
  static var share: Double { get }
  /// The minimum number of units that a run of one hour reaches on two cores.
  static var goal: Int { get }
  /// Events that the machine counts in addition to its units (`TortureEnvironment.count`). A full run has to reach each
  /// of them.
  static var counted: [String] { get }
  /// True if the machine's time must not be split among several processes.
  static var runsInOnePiece: Bool { get }
  /// Time limit of a round in seconds. A round that takes longer counts as hung, and its process is aborted.
  static var roundLimit: Double { get }
  /// True if the machine's files may be in memory, where there is a file system for that: they are small, and no sync
  /// is waited for.
  static var keepsFilesInMemory: Bool { get }

  /// Prepares what all rounds share. Throws `Skipped` if this system can't run the machine.
  init(environment: TortureEnvironment) throws

  /// Runs one short case (two seconds at most) that the seed alone determines, as far as threads allow, and returns the
  /// number of units that it checked. Throws a `Finding`, shrunk if possible; any other error counts as a finding too.
  mutating func round(seed: UInt64) throws -> Int

  /// Ends a slice of the run. Returns the number of units that no round counted.
  mutating func finish() throws -> Int
}

extension Machine {
  static var counted: [String] { [] }
  static var runsInOnePiece: Bool { false }
  static var roundLimit: Double { 60 }
  static var keepsFilesInMemory: Bool { false }
  mutating func finish() throws -> Int { 0 }
}

#if compiler(<6.2)
  // Before Swift 6.2 every metatype was sendable.
  typealias SendableMetatype = Any
#endif

/// A broken promise.
struct Finding: Error, Codable {
  /// One sentence that states the promise and what happened instead.
  var message: String
  /// The smallest case that shows it.
  var shrunkCase: String

  init(_ message: String, case shrunkCase: String = "") {
    self.message = message
    self.shrunkCase = shrunkCase
  }
}

/// Thrown by a machine that can't run on this system.
struct Skipped: Error {
  var reason: String
  init(_ reason: String) { self.reason = reason }
}
