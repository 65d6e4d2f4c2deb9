import Foundation
import TestSupport

/// Runs libFuzzer's targets, a few seconds each in turns; `scripts/torture.sh` builds them.
struct FuzzersMachine: Machine {
  static let name = "fuzzers"
  static let summary = "libFuzzer with the address sanitizer, over each target of Fuzz"
  static let unit = "executions"
  static let share = 3.0
  static let goal = 10_000_000
  static let roundLimit = 120.0

  /// Seconds of a round; a replay stops at what it is to find, or much later than the round did.
  private static let seconds = (round: 8, replay: 50)

  /// They have two turns for one of the others': ten thousand inputs a second, and not two.
  private static let fastTargets = ["entity", "json", "reader", "record"]

  private let environment: TortureEnvironment
  private let program: String
  private let corpus: URL
  private let targets: [String]

  init(environment: TortureEnvironment) throws {
    guard let program = ProcessInfo.processInfo.environment["DFLAT_FUZZ"] else {
      throw Skipped("the fuzz targets are not built: DFLAT_FUZZ is not set")
    }
    self.environment = environment
    self.program = program
    corpus = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent("Fuzz/Corpus")
    let all = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted()
    targets = all + all.filter(Self.fastTargets.contains)
  }

  func round(seed: UInt64) throws -> Int {
    let target = targets[Int(seed % UInt64(targets.count))]
    let inputs = corpus.appendingPathComponent(target).path
    // What is found new goes to the round's folder: a seed gives the same run whatever ran before.
    let found = try environment.directory("corpus")
    let words = corpus.deletingLastPathComponent().appendingPathComponent("Dictionaries/\(target).dict").path
    let dictionary = FileManager.default.fileExists(atPath: words) ? ["-dict=\(words)"] : []
    let child = try ChildProcess(
      URL(fileURLWithPath: program),
      [
        "--target=\(target)", "-seed=\(UInt32(truncatingIfNeeded: seed) | 1)",
        "-max_total_time=\(environment.isReplay ? Self.seconds.replay : Self.seconds.round)",
        "-max_len=2048", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
        "-artifact_prefix=\(environment.folder)/",
      ] + dictionary + [found.path, inputs],
      environment: ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"])
    child.closeInput()
    _ = try child.remainingLines()
    let ending = try child.wait()
    let report = child.standardError
    guard ending == .exit(0) else {
      // The input goes where the finding's files do.
      let input = report.firstMatch(of: /Test unit written to .*\/([^\/\n]+)/).map { String($0.output.1) } ?? "none"
      throw Finding(
        "The fuzz target \(target) ended by \(ending); the input, \(input), runs again by \(program) --target=\(target) FILE.",
        case: Self.excerpt(of: report))
    }
    return report.firstMatch(of: /stat::number_of_executed_units:\s*([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
  }

  /// From the first line of what went wrong.
  private static func excerpt(of report: String) -> String {
    let start = report.firstRange(of: /.*(Fatal error|ERROR: )/)?.lowerBound ?? report.startIndex
    return String(report[start...].prefix(6_000))
  }
}
