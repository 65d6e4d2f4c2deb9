internal import DflatKV
import Foundation
import GoldenModels

/// A file that processes of `StressWorker crash` write until they are killed, and what they reported of it: it has to hold a
/// prefix of the commits with every one that was reported (A10).
package final class KilledFile {
  /// What A10 promises, and what was found instead.
  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  private let folder: TemporaryDirectory
  /// Another workspace on the file, so that no kill leaves it without users; nil where each kill does.
  private let keeper: SQLiteWorkspace?
  private let hasMembers: Bool
  private var reported = ["t": 0, "u": 0, "p": 0]
  private var reportedCommit: UInt64 = 0
  /// Kills since the number of a series was last known. Each may have left one commit that nobody was told of.
  private var untold = ["t": 0, "u": 0]

  package var path: String { folder.file() }
  package var isKeptOpen: Bool { keeper != nil }

  /// - Parameter hasMembers: The file has objects whose indexes are to be filled.
  package init(in folder: TemporaryDirectory, isKeptOpen: Bool, hasMembers: Bool = false) throws {
    self.folder = folder
    self.hasMembers = hasMembers
    if hasMembers { try MemberFile.make(at: folder.file()) }
    keeper = isKeptOpen ? try SQLiteWorkspace.open(filePath: folder.file()) : nil
  }

  deinit { keeper?.shutdown() }

  /// The program that writes the file. `rest` follows the file and the size of a value in its arguments.
  package func start(payload: Int, _ rest: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      try BuiltExecutable.url(named: "StressWorker"),
      ["crash", path, "\(payload)"] + rest + (isKeptOpen ? ["kept"] : []))
  }

  /// Takes a line `SERIES NUMBER COMMIT`.
  package func note(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, let number = Int(words[1]), let commit = UInt64(words[2]) else { return }
    reported[String(words[0])] = number
    untold[String(words[0])] = 0
    reportedCommit = max(reportedCommit, commit)
  }

  /// A process that has said so much without coming to where it kills itself never will.
  private static let mostLines = 5_000

  /// Takes the rest of what a process says, which must end by the kill. Where it killed itself: what it was doing.
  @discardableResult
  package func finish(_ child: ChildProcess) throws -> String? {
    var step: String?
    var count = 0
    while let line = try child.nextLine() {
      if line.hasPrefix("killed ") { step = String(line.dropFirst(7)) } else { note(line) }
      count += 1
      if count == Self.mostLines { child.kill() }
    }
    let ending = try child.wait()
    try require(ending == .signal(SIGKILL), "The process ended by \(ending): \(child.standardError)")
    for series in untold.keys { untold[series, default: 0] += 1 }
    return step
  }

  /// Opens the file and compares it with what was reported. What is in it now has to stay.
  package func check() throws {
    // Its caches learn of what the dead ones committed.
    let kept = keeper.map { keeper in keeper.fetchWithinASnapshot { read(keeper) } }
    if let kept { try requirePrefix(kept) }
    var options = SQLiteWorkspace.Options()
    options.fillsIndexes = false
    options.followsOtherProcesses = false
    let workspace = try SQLiteWorkspace.open(filePath: path, options: options)
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let values = read(workspace)
    try requirePrefix(values)
    try require(kept == nil || kept == values, "The open process reads \(kept ?? [:]), and the file holds \(values).")
    if hasMembers {
      let count = workspace.fetch(for: Club.Member.self).count()
      try require(count == MemberFile.count, "Of \(MemberFile.count) members \(count) are there.")
    }
    try require(
      workspace.commitNumber >= reportedCommit,
      "Commit \(reportedCommit) was reported, and the file is at \(workspace.commitNumber).")
    for (series, key) in ["t": "t.a", "u": "u.a", "p": "p"] { reported[series] = values[key] }
    reportedCommit = workspace.commitNumber
    untold = ["t": 0, "u": 0]
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

  private func requirePrefix(_ values: [String: Int]) throws {
    for (series, keys) in ["t": ["t.a", "t.b", "t.c", "t.last", "t.newest", "t.count"], "u": ["u.a", "u.b"]] {
      let found = Set(keys.map { values[$0] ?? 0 })
      try require(found.count == 1, "A transaction of \(series) is torn: \(values)")
      guard let number = found.first, let last = reported[series], let untold = untold[series] else { continue }
      try require(
        last...(last + untold) ~= number, "\(series): \(last) was reported, and the file has \(number).")
    }
    // A plain write carries the number of the transaction before it.
    let (plain, last) = (values["p"] ?? 0, reported["p"] ?? 0)
    try require(
      plain == last || plain > last && plain == values["u.a"], "p: \(last) was reported, and the file has \(values)")
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: message()) }
  }
}
