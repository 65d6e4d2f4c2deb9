import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Kills processes that write, and opens what they leave (A10).
struct KillsMachine: Machine {
  static let name = "kills"
  static let summary = "Kills writing processes at random, at failpoints, and at any operation on the file"
  static let unit = "kills"
  static let share = 2.0
  static let goal = 3_000

  private static let killsPerRound = 4
  private static let failpoints = Failpoints.committing
  private let environment: TortureEnvironment

  init(environment: TortureEnvironment) throws { self.environment = environment }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let file = try KilledFile(environment.directory("killed"), isKeptOpen: Bool.random(using: &random))
    var log: [String] = []
    for _ in 0..<Self.killsPerRound {
      let payload = ["0", "0", "30000", "2000000"].randomElement(using: &random) ?? "0"
      var arguments = ["crash", file.path, payload]
      let lines: Int?
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        lines = Int.random(in: 0...40, using: &random)
      case 1:
        arguments += [Self.failpoints.randomElement(using: &random) ?? "", "\(Int.random(in: 1...30, using: &random))"]
        lines = nil
      default:
        // Few operations: the first open or recovery; more: commits, checkpoints, compaction, index filling.
        let most = [30, 100, 1_000, 5_000].randomElement(using: &random) ?? 30
        arguments += ["file", "\(Int.random(in: 1...most, using: &random))", "maintain"]
        lines = nil
      }
      log.append(arguments.dropFirst(2).joined(separator: " ") + (lines.map { ", killed after \($0) lines" } ?? ""))
      let child = try ChildProcess(try BuiltExecutable.url(named: "StressWorker"), arguments)
      if let lines {
        for _ in 0..<lines { _ = try child.nextLine().map(file.note) }
        usleep(UInt32.random(in: 0...3_000, using: &random))
        child.kill()
      }
      do { try file.check(after: child) } catch {
        throw Finding((error as? Finding)?.message ?? "\(error)", case: log.joined(separator: "\n"))
      }
    }
    return Self.killsPerRound
  }

  private enum Failpoints {
    static let committing = [
      "beforeCommit", "committedBeforePublish", "movedBeforePublished", "publishedBeforeTouch", "memberBegan",
    ]
  }
}

/// The file that processes write until they are killed, and what they reported of it.
private final class KilledFile {
  private let folder: TemporaryDirectory
  /// Another workspace on the file, so that no kill leaves it without users; nil where each kill does.
  private let keeper: SQLiteWorkspace?
  private var reported = ["t": 0, "u": 0, "p": 0]
  private var reportedCommit: UInt64 = 0

  var path: String { folder.file() }

  init(_ folder: TemporaryDirectory, isKeptOpen: Bool) throws {
    self.folder = folder
    keeper = isKeptOpen ? try SQLiteWorkspace.open(filePath: folder.file()) : nil
  }

  deinit { keeper?.shutdown() }

  /// Takes a line `SERIES NUMBER COMMIT`.
  func note(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, let number = Int(words[1]), let commit = UInt64(words[2]) else { return }
    reported[String(words[0])] = number
    reportedCommit = max(reportedCommit, commit)
  }

  func check(after child: ChildProcess) throws {
    for line in try child.remainingLines() { note(line) }
    let ending = try child.wait()
    try require(ending == .signal(SIGKILL), "The process ended by \(ending): \(child.standardError)")
    // Its caches learn of what the dead one committed.
    if let keeper { try expectPrefix(keeper.fetchWithinASnapshot { read(keeper) }) }
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity()
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let values = read(workspace)
    try expectPrefix(values)
    for (series, key) in ["t": "t.a", "u": "u.a", "p": "p"] { reported[series] = values[key] }
    try require(
      workspace.commitNumber >= reportedCommit,
      "Commit \(reportedCommit) was reported, and the file is at \(workspace.commitNumber).")
  }

  private func read(_ workspace: SQLiteWorkspace) -> [String: Int] {
    var values: [String: Int] = [:]
    for key in ["t.a", "t.b", "t.c", "u.a", "u.b", "p"] { values[key] = workspace.dictionary[key, default: 0] }
    // The objects that a `t` wrote beside its keys: by the key, by an index, and as many as there were transactions.
    let posts = workspace.fetch(for: Post.self)
    values["t.last"] = posts.first(where: Post.title == "last").map { Int($0.priority) } ?? 0
    values["t.newest"] =
      posts.first(where: Post.priority > 0, orderBy: [Post.priority.descending]).map { Int($0.priority) } ?? 0
    values["t.count"] = posts.count(where: Post.title.hasPrefix("t "))
    return values
  }

  private func expectPrefix(_ values: [String: Int]) throws {
    for (series, keys) in ["t": ["t.a", "t.b", "t.c", "t.last", "t.newest", "t.count"], "u": ["u.a", "u.b"]] {
      let found = Set(keys.map { values[$0] ?? 0 })
      try require(found.count == 1, "A transaction of \(series) is torn: \(values)")
      guard let number = found.first, let last = reported[series] else { continue }
      // One more may be in the file than was reported: it was killed in between.
      try require(
        number == last || number == last + 1, "\(series): \(last) was reported, and the file has \(number).")
    }
    // A plain write carries the number of the transaction before it.
    let (plain, last) = (values["p"] ?? 0, reported["p"] ?? 0)
    try require(plain == last || plain == values["u.a"], "p: \(last) was reported, and the file has \(values)")
  }
}
