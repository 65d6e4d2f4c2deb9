import DflatKV
import Foundation
import TestSupport

/// Damages sound files in every way it knows and uses them: a call returns or throws a `WorkspaceError` of a code that fits,
/// in a second, and in bounded memory. A trap is the end of the machine's process, which the driver reports.
struct HostileFilesMachine: Machine {
  static let name = "hostile-files"
  static let summary = "Files that were damaged or tampered with, through every read, a write, checks, and kvtool"
  static let unit = "files"
  static let share = 1.0
  static let goal = 20_000
  static let roundLimit = 30.0

  /// Files in a round.
  private static let filesInRound = 8
  /// One file in so many goes through kvtool's commands too, each a process of its own.
  private static let toolInterval: UInt64 = 6
  /// Memory that the whole process may have held at once.
  private static let memoryLimit = 768 << 20

  private let environment: TortureEnvironment
  private let samples: [SampleFile]
  private let tool: URL?

  init(environment: TortureEnvironment) throws {
    self.environment = environment
    samples = try SampleFile.all(in: environment)
    tool = try? BuiltExecutable.url(named: "kvtool")
    if tool == nil { environment.note("hostile-files: kvtool was not built and not run.") }
    #if os(Linux)
      var limit = rlimit(rlim_cur: rlim_t(Self.memoryLimit * 2), rlim_max: rlim_t(Self.memoryLimit * 2))
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    #endif
  }

  mutating func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    for number in 0..<Self.filesInRound {
      let directory = try environment.directory("file\(number)")
      let sample = samples.randomElement(using: &random)!
      let changes = FileChange.random(for: sample, using: &random)
      let isOpenBefore = changes.allSatisfy(\.isSQL) && Int.random(in: 0..<3, using: &random) == 0
      if environment.isReplay { print(sample.name, isOpenBefore, changes) }
      let usage = HostileUse(path: directory.file(), choices: random, isReplay: environment.isReplay)
      do {
        try sample.write(to: directory.file())
        if isOpenBefore {
          try usage.runAround { for change in changes { try change.apply(to: directory.file()) } }
        } else {
          for change in changes { try change.apply(to: directory.file()) }
          try usage.run()
        }
        if let tool, seed % Self.toolInterval == 0, number == 0 {
          try sample.write(to: directory.file())
          for change in changes { try change.apply(to: directory.file()) }
          try HostileTool(executable: tool, path: directory.file()).run()
        }
        try checkMemory()
      } catch let finding as Finding {
        throw Finding(finding.message, case: "\(sample.name), \(isOpenBefore ? "open, " : "")\(changes)")
      }
      try? FileManager.default.removeItem(atPath: directory.path)
    }
    return Self.filesInRound
  }

  private func checkMemory() throws {
    var usage = rusage()
    #if os(Linux)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      let peak = usage.ru_maxrss << 10
    #else
      getrusage(RUSAGE_SELF, &usage)
      let peak = usage.ru_maxrss
    #endif
    if peak > Self.memoryLimit { throw Finding("The process has held \(peak >> 20) MB.") }
  }
}
