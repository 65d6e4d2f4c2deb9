import DflatKV
import Foundation
import GoldenModels
import TestSupport
import Testing

/// A process that is killed at any instant leaves a prefix of the commit order that holds every completion it reported.
@Suite struct CrashTests {
  /// Rounds of each test: a kill each. `DFLATKV_CRASH_ROUNDS` asks for more.
  private static let rounds = ProcessInfo.processInfo.environment["DFLATKV_CRASH_ROUNDS"].flatMap { Int($0) } ?? 9

  //  child  ──t 1──u 1──p 1──t 2──…──✕  the kill comes after any number of lines and a moment more
  //  test                              reads what was reported, opens the file, compares; the next child goes on with it
  @Test("A10: a process killed at random instants", arguments: [false, true])
  func killedAtAnyInstant(withAnother: Bool) throws {
    var random = SeededGenerator.announced(for: "killedAtAnyInstant")
    let file = try CrashedFile(isKeptOpen: withAnother)
    for _ in 0..<Self.rounds {
      let child = try worker("crash", file.path, Bool.random(using: &random) ? "0" : "30000")
      for _ in 0..<Int.random(in: 1...40, using: &random) { _ = try child.nextLine().map(file.note) }
      usleep(UInt32.random(in: 0...3_000, using: &random))
      child.kill()
      try file.check(after: child)
    }
  }

  //  child  ──t 1──u 1──…──[failpoint, the Nth time: kills itself]
  @Test(
    "A10: a process killed at each step of a commit",
    arguments: ["beforeCommit", "committedBeforePublish", "publishedBeforeTouch", "memberBegan"], [false, true])
  func killedAtAStep(failpoint: String, withAnother: Bool) throws {
    var random = SeededGenerator.announced(for: "killedAtAStep \(failpoint)")
    let file = try CrashedFile(isKeptOpen: withAnother)
    for _ in 0..<(Self.rounds + 1) / 2 {
      let child = try worker("crash", file.path, "0", failpoint, "\(Int.random(in: 1...30, using: &random))")
      try file.check(after: child)
    }
  }

  // What does not fit SQLite's page cache is in the log before the COMMIT: those frames must not come back.
  @Test("A10: a process killed with an uncommitted transaction of 8 MiB in the log")
  func killedWithALargeTransaction() throws {
    let file = try CrashedFile(isKeptOpen: true)
    for hits in 1...3 {
      let child = try worker("crash", file.path, "\(8 << 20)", "beforeCommit", "\(hits)")
      try file.check(after: child)
    }
  }
}

/// The file that processes write until they are killed, and what they reported of it.
private final class CrashedFile {
  private let folder: TemporaryDirectory
  /// Another workspace on the file, so that no kill leaves it without users; nil where each kill does.
  private let keeper: SQLiteWorkspace?
  private var reported = ["t": 0, "u": 0, "p": 0]
  private var reportedCommit: UInt64 = 0

  var path: String { folder.file() }

  init(isKeptOpen: Bool) throws {
    folder = try TemporaryDirectory()
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
    #expect(try child.wait() == .signal(SIGKILL), "\(child.standardError)")
    if let keeper {
      // Its caches learn of what the dead one committed.
      let cached = keeper.fetchWithinASnapshot { read(keeper) }
      expectPrefix(cached)
    }
    let workspace = try SQLiteWorkspace.open(filePath: path)
    #expect(try workspace.checkIntegrity() == [])
    let values = read(workspace)
    expectPrefix(values)
    for (series, key) in ["t": "t.a", "u": "u.a", "p": "p"] { reported[series] = values[key] }
    #expect(workspace.commitNumber >= reportedCommit, "a commit that was reported is lost")
    workspace.shutdown()
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

  private func expectPrefix(_ values: [String: Int]) {
    for (series, keys) in ["t": ["t.a", "t.b", "t.c", "t.last", "t.newest", "t.count"], "u": ["u.a", "u.b"]] {
      let found = Set(keys.map { values[$0] ?? 0 })
      #expect(found.count == 1, "a transaction of \(series) is torn: \(values)")
      guard let number = found.first, let last = reported[series] else { continue }
      // One more may be in the file than was reported: it was killed in between.
      #expect(number == last || number == last + 1, "\(series): \(last) was reported, the file has \(number)")
    }
    // A plain write carries the number of the transaction before it.
    let (plain, last) = (values["p"] ?? 0, reported["p"] ?? 0)
    #expect(plain == last || plain == values["u.a"], "p: \(last) was reported: \(values)")
  }
}
