internal import DflatKV
import Foundation
internal import GoldenModels

/// A file that processes of `StressWorker crash` write until they are killed, and the commits that they reported. The
/// file has to hold a prefix of the commits that includes every reported one (A10).
package final class KilledFile {
  /// Thrown if the file breaks A10. Describes the difference.
  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  private let folder: TemporaryDirectory
  /// Another workspace on the file, so that no kill leaves the file without users; nil if each kill does.
  private let keeper: SQLiteWorkspace?
  private let hasMembers: Bool
  private var reported = ["t": 0, "u": 0, "p": 0]
  private var reportedCommit: UInt64 = 0
  /// The kills since the number of a series was last known. Each may have left one unreported commit.
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

  /// Starts the program that writes the file. In its arguments, `rest` follows the file and the size of a value.
  package func start(payload: Int, _ rest: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      try BuiltExecutable.url(named: "StressWorker"),
      ["crash", path, "\(payload)"] + rest + (isKeptOpen ? ["kept"] : []))
  }

  /// Notes a reported commit: a line `SERIES NUMBER COMMIT`.
  package func note(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, let number = Int(words[1]), let commit = UInt64(words[2]) else { return }
    reported[String(words[0])] = number
    untold[String(words[0])] = 0
    reportedCommit = max(reportedCommit, commit)
  }

  /// The number of lines after which a process is killed, because it won't reach the point where it kills itself.
  private static let mostLines = 5_000

  /// Notes the rest of a process's output, which must end by the kill. Returns the step at which it killed itself, if
  /// so.
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
    try require(ending == .signal(SIGKILL), "The process ended by \(ending): \(child.wholeStandardError())")
    for series in untold.keys { untold[series, default: 0] += 1 }
    return step
  }

  /// Opens the file and compares it with the reported commits. Its present content has to stay from now on.
  package func check() throws {
    // The caches of the open workspace follow the commits of the killed processes.
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
    try require(kept == nil || kept == values, "The open process reads \(kept ?? [:]), but the file holds \(values).")
    if hasMembers {
      let count = workspace.fetch(for: Club.Member.self).count()
      try require(count == MemberFile.count, "The file holds \(count) of \(MemberFile.count) members.")
    }
    try require(
      workspace.commitNumber >= reportedCommit,
      "Commit \(reportedCommit) was reported, but the file is at \(workspace.commitNumber).")
    for (series, key) in ["t": "t.a", "u": "u.a", "p": "p"] { reported[series] = values[key] }
    reportedCommit = workspace.commitNumber
    untold = ["t": 0, "u": 0]
  }

  private func read(_ workspace: SQLiteWorkspace) -> [String: Int] {
    var values: [String: Int] = [:]
    for key in ["t.a", "t.b", "t.c", "u.a", "u.b", "p"] { values[key] = workspace.dictionary[key, default: 0] }
    // The objects that each `t` wrote beside its keys: found by key, by index, and counted, one for each transaction.
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
        last...(last + untold) ~= number, "\(series): \(last) was reported, but the file has \(number).")
    }
    // The number of a plain write is that of the transaction before it.
    let (plain, last) = (values["p"] ?? 0, reported["p"] ?? 0)
    try require(
      plain == last || plain > last && plain == values["u.a"], "p: \(last) was reported, but the file has \(values)")
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: message()) }
  }
}
