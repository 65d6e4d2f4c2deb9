package import DflatKV
import Foundation
internal import GoldenModels

/// Numbered commits on a file whose operations are recorded, and checks of the images that a crash leaves (A10).
package final class RecordedCommits {
  /// Thrown if an image breaks A10. Describes the difference.
  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  package let recorder: CrashRecorder
  private let folder: TemporaryDirectory
  private let synchronous: SQLiteWorkspace.Synchronous
  private let hasMembers: Bool
  private var workspace: SQLiteWorkspace
  /// The number of operations that were recorded when each commit was acknowledged; the first element is for no commit.
  private var acknowledged = [0]
  private var steps: [String] = []

  /// - Parameter hasMembers: The file has objects whose indexes are to be filled.
  package init(
    in folder: TemporaryDirectory, synchronous: SQLiteWorkspace.Synchronous, hasMembers: Bool = false
  ) throws {
    if hasMembers { try MemberFile.make(at: folder.file()) }
    self.folder = folder
    self.synchronous = synchronous
    self.hasMembers = hasMembers
    recorder = try CrashRecorder(folder: folder)
    workspace = try Self.open(folder.file(), synchronous)
  }

  deinit { workspace.shutdown() }

  private static func open(_ path: String, _ synchronous: SQLiteWorkspace.Synchronous) throws -> SQLiteWorkspace {
    var options = SQLiteWorkspace.Options.onFaultVFS
    options.synchronous = synchronous
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  // MARK: Recording

  private func acknowledge(_ what: String) {
    acknowledged.append(recorder.count)
    steps.append("commit \(acknowledged.count - 1), \(what), acknowledged at \(recorder.count)")
  }

  /// Commits the next number in a transaction of keys and objects, with that many additional bytes.
  package func transact(bytes: Int) throws {
    let commit = acknowledged.count
    try workspace.transactAndWait([Post.self]) { transaction in
      transaction.dictionary["first"] = commit
      transaction.dictionary["blob\(commit % 5)"] = Data(repeating: UInt8(commit & 0xff), count: bytes)
      transaction.dictionary["number\(commit)"] = commit
      try transaction.insert(Post(title: "post \(commit)", priority: Int32(commit)))
      transaction.dictionary["last"] = commit
    }
    acknowledge("\(bytes) bytes")
  }

  /// Commits the next number, negated, in a plain write, and waits for the commit.
  package func writePlainly() throws {
    let commit = acknowledged.count
    workspace.dictionary["number\(commit)"] = -commit
    try workspace.dictionary.synchronize()
    acknowledge("plain")
  }

  package func compact() throws {
    try workspace.compact()
    steps.append("compacted at \(recorder.count)")
  }

  package func reopen(flags: SQLiteWorkspace.ShutdownFlag = []) throws {
    workspace.shutdown(flags: flags)
    steps.append("closed (\(flags.rawValue)) at \(recorder.count)")
    workspace = try Self.open(folder.file(), synchronous)
  }

  /// Starts filling the indexes of the members in the background.
  package func wantIndexes() {
    MemberFile.wantIndexes(workspace)
    steps.append("indexes wanted at \(recorder.count)")
  }

  package func close() {
    workspace.shutdown()
    steps.append("closed at \(recorder.count)")
  }

  // MARK: Checking crash images

  /// Opens the folder that a crash after the first `count` operations left, and checks its content.
  ///
  /// - Parameters:
  ///   - vfs: A VFS other than the system's, to record the recovery.
  ///   - isSecond: The folder is the image of a second crash, after an image that was already checked.
  package func check(
    _ image: TemporaryDirectory, after count: Int, _ kind: CrashRecorder.Image, vfs: String? = nil,
    isSecond: Bool = false
  ) throws {
    let expected = acknowledged.lastIndex { $0 <= count } ?? 0
    var options = SQLiteWorkspace.Options.quiet
    options.vfs = vfs
    options.synchronous = synchronous
    options.fillsIndexes = false
    options.followsOtherProcesses = false
    let workspace = try SQLiteWorkspace.open(filePath: image.file(), options: options)
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let numbers = try workspace.dictionary.entries(withPrefix: "number").map { $0.key.dropFirst(6) }
    let last = numbers.count
    try require(
      Set(numbers) == Set((0..<last).map { Substring("\($0 + 1)") }),
      "The image holds \(numbers), which is not a prefix.")
    try requireWhole(workspace, last)
    // The members, the steps of index filling, and the write of the first check are commits too.
    let more = hasMembers ? UInt64.max / 2 : isSecond ? 1 : 0
    try require(
      UInt64(last)...(UInt64(last) + more) ~= workspace.commitNumber,
      "The image holds \(last) commits, but its commit number is \(workspace.commitNumber).")
    try require(last <= expected + 1, "The image holds \(last) commits, but only \(expected) were acknowledged.")
    let isBound: Bool = if case .all = kind { true } else { synchronous == .full }
    try require(!isBound || last >= expected, "The image holds \(last) of \(expected) acknowledged commits.")
    try workspace.transactAndWait { $0.dictionary["after the crash"] = true }
  }

  /// Requires that the image holds the plain writes and all parts of the newest transaction of the prefix, and no more.
  private func requireWhole(_ workspace: SQLiteWorkspace, _ last: Int) throws {
    let isPlain = try (0..<last).map {
      try workspace.dictionary.value(forKey: "number\($0 + 1)", as: Int.self) ?? 0 < 0
    }
    let transactions = isPlain.count { !$0 }
    let newest = try workspace.dictionary.value(forKey: "last", as: Int.self) ?? 0
    let posts = try workspace.query(for: Post.self).orderBy(Post.priority.descending).fetch()
    try require(
      try workspace.dictionary.value(forKey: "first", as: Int.self) ?? 0 == newest && posts.count == transactions
        && Int(posts.first?.priority ?? 0) == newest && newest == (isPlain.lastIndex(of: false) ?? -1) + 1,
      "The image holds part of a transaction: of \(last) commits \(transactions) are transactions, the last is \(newest), "
        + "with the posts \(posts.map(\.title)).")
    if hasMembers {
      let members = try workspace.query(for: Club.Member.self).count()
      try require(members == MemberFile.count, "The image holds \(members) of \(MemberFile.count) members.")
    }
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: message()) }
  }

  /// Returns a description of the case for failure messages.
  package func describe(_ image: CrashRecorder.Image, after count: Int) -> String {
    "synchronous \(synchronous), image \(image) after operation \(count) of \(recorder.count): "
      + "\(recorder.describe(count))\n" + steps.joined(separator: "\n")
  }
}
