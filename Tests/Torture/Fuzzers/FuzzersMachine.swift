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
    targets = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted()
  }

  func round(seed: UInt64) throws -> Int {
    let target = targets[Int(seed % UInt64(targets.count))]
    let inputs = corpus.appendingPathComponent(target).path
    // What is found new goes to the round's folder: a seed gives the same run whatever ran before.
    let found = try environment.directory("corpus")
    let child = try ChildProcess(
      URL(fileURLWithPath: program),
      [
        "--target=\(target)", "-seed=\(UInt32(truncatingIfNeeded: seed) | 1)", "-max_total_time=8", "-max_len=4096",
        "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1", "-artifact_prefix=\(environment.folder)/",
        found.path, inputs,
      ],
      environment: ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"])
    child.closeInput()
    _ = try child.remainingLines()
    let ending = try child.wait()
    let report = child.standardError
    guard ending == .exit(0) else {
      throw Finding("The fuzz target \(target) ended by \(ending).", case: String(report.suffix(6_000)))
    }
    return report.firstMatch(of: /stat::number_of_executed_units:\s*([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
  }
}
