import Foundation
import TestSupport

/// Runs libFuzzer's targets in turns, a few seconds each; `scripts/torture.sh` builds them.
struct FuzzersMachine: Machine {
  static let name = "fuzzers"
  static let summary = "libFuzzer with the address sanitizer, over each target of Fuzz"
  static let unit = "executions"
  static let share = 20.0
  static let goal = 10_000_000
  static let roundLimit = 120.0
  static let keepsFilesInMemory = true

  /// Seconds of a round. A replay stops when it reproduces the finding, or much later than the round did.
  private static let seconds = (round: 12, replay: 90)

  /// Targets in turns: a tenth of the time for each, and the rest for the one that does the most in it.
  private static let turns = [
    "schema", "record", "plist", "record", "verifier", "json", "record", "entity", "reader", "record",
  ]

  /// Returns the maximum length of inputs: long enough for a bit of everything. The time per input grows with the
  /// length.
  private static func maximumLength(_ target: String) -> Int {
    switch target {
    // Many references to one object make a large value only if both fit.
    case "reader": 2_560
    case "verifier": 1_024
    case "record": 256
    default: 512
    }
  }

  /// Records stacks of allocations and keeps freed memory for long only when a seed is replayed.
  private static func sanitizerOptions(isReplay: Bool) -> String {
    "detect_leaks=0"
      + (isReplay ? "" : ":malloc_context_size=1:quarantine_size_mb=16:thread_local_quarantine_size_kb=64")
  }

  private let environment: TortureEnvironment
  private let program: String
  private let corpus: URL

  init(environment: TortureEnvironment) throws {
    guard let program = ProcessInfo.processInfo.environment["DFLAT_FUZZ"] else {
      throw Skipped("the fuzz targets are not built: DFLAT_FUZZ is not set")
    }
    self.environment = environment
    self.program = program
    corpus = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent("Fuzz/Corpus")
    let targets = Set(try FileManager.default.contentsOfDirectory(atPath: corpus.path))
    precondition(targets == Set(Self.turns), "each target has a turn: \(targets.sorted())")
  }

  func round(seed: UInt64) throws -> Int {
    let target = Self.turns[Int(seed % UInt64(Self.turns.count))]
    let inputs = corpus.appendingPathComponent(target).path
    // New inputs go to the round's folder, so that a seed gives the same run whatever ran before.
    let found = try environment.directory("corpus")
    let words = corpus.deletingLastPathComponent().appendingPathComponent("Dictionaries/\(target).dict").path
    let dictionary = FileManager.default.fileExists(atPath: words) ? ["-dict=\(words)"] : []
    let child = try ChildProcess(
      URL(fileURLWithPath: program),
      [
        "--target=\(target)", "-seed=\(UInt32(truncatingIfNeeded: seed) | 1)",
        "-max_total_time=\(environment.isReplay ? Self.seconds.replay : Self.seconds.round)",
        "-max_len=\(Self.maximumLength(target))", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
        // The next input is chosen by its novelty: weighing all of them takes a tenth of the time, or a third.
        "-entropic=0", "-print_funcs=0", "-reload=0", "-detect_leaks=0", "-artifact_prefix=\(environment.folder)/",
      ] + dictionary + [found.path, inputs],
      environment: [
        "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": Self.sanitizerOptions(isReplay: environment.isReplay),
      ])
    child.closeInput()
    _ = try child.remainingLines()
    let ending = try child.wait()
    let report = child.wholeStandardError()
    guard ending == .exit(0) else {
      // The input is written where the finding's files are.
      let input = report.firstMatch(of: /Test unit written to .*\/([^\/\n]+)/).map { String($0.output.1) } ?? "none"
      throw Finding(
        "The fuzz target \(target) ended by \(ending). To run the input \(input) again: "
          + "$(scripts/build-fuzz.sh) --target=\(target) FILE.",
        case: Self.excerpt(of: report))
    }
    return report.firstMatch(of: /stat::number_of_executed_units:\s*([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
  }

  /// Returns the report from the first line that states the failure.
  private static func excerpt(of report: String) -> String {
    let start = report.firstRange(of: /.*(Fatal error|ERROR: )/)?.lowerBound ?? report.startIndex
    return String(report[start...].prefix(6_000))
  }
}
