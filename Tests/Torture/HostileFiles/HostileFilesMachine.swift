import DflatKV
import Foundation
import TestSupport

/// Damages sound files in many ways and uses them. A call returns or throws a `WorkspaceError` with a suitable code,
/// within a second and in bounded memory. A trap ends the machine's process, and the driver reports it.
struct HostileFilesMachine: Machine {
  static let name = "hostile-files"
  static let summary = "Files that were damaged or tampered with, through every read, a write, checks, and kvtool"
  static let unit = "files"
  static let share = 17.0
  static let goal = 20_000
  static let roundLimit = 30.0
  static let keepsFilesInMemory = true

  /// Files in a round.
  private static let filesInRound = 8
  /// Average number of files per run of one of kvtool's commands, in turn, and per run of all of them. Commands are
  /// processes of their own, which take as long as all else.
  private static let commandInterval = 2
  private static let allCommandsInterval = 200
  /// The most memory that the process may have held at once.
  private static let memoryLimit = 768 << 20

  private let environment: TortureEnvironment
  private let samples: [SampleFile]
  private let tool: URL?
  private let schema = FileManager.default.currentDirectoryPath + "/Tests/GoldenModels/Schemas/member.fbs"

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
      let isLive = changes.allSatisfy(\.isLive) && Int.random(in: 0..<3, using: &random) == 0
      if environment.isReplay { print(sample.name, isLive, changes) }
      do {
        try use(sample, changes, isLive: isLive, at: directory.file(), &random)
      } catch let finding as Finding {
        throw Finding(finding.message, case: "\(sample.name), \(isLive ? "open, " : "")\(changes)")
      }
      try? FileManager.default.removeItem(atPath: directory.path)
    }
    return Self.filesInRound
  }

  private func use(
    _ sample: SampleFile, _ changes: [FileChange], isLive: Bool, at path: String, _ random: inout SeededGenerator
  ) throws {
    let usage = HostileUse(path: path, choices: random, isReplay: environment.isReplay)
    var start = Data()
    func damage() throws {
      for change in changes { try change.apply(to: path) }
      start = SideFileChange.start(of: path)
    }
    try sample.write(to: path)
    if isLive {
      try usage.runAround { try damage() }
    } else {
      try damage()
      try usage.run()
    }
    try check(changes, path, before: start)
    let runsAllCommands = Int.random(in: 0..<Self.allCommandsInterval, using: &random) == 0
    if let tool, runsAllCommands || Int.random(in: 0..<Self.commandInterval, using: &random) == 0 {
      try sample.write(to: path)
      try damage()
      let tool = HostileTool(executable: tool, path: path, schema: schema)
      if runsAllCommands {
        try tool.run()
      } else {
        try tool.run(1, from: Int.random(in: 0..<1_000, using: &random))
      }
      try check(changes, path, before: start)
    }
    try checkMemory()
  }

  private func check(_ changes: [FileChange], _ path: String, before start: Data) throws {
    for case .sideFile(let change) in changes { try change.check(path, before: start) }
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
    if peak > Self.memoryLimit { throw Finding("The process held \(peak >> 20) MB.") }
  }
}
