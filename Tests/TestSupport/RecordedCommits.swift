package import DflatKV
import Foundation
import GoldenModels

/// Numbered commits on a file whose operations are recorded, and what a crash at any of them has to leave (A10).
package final class RecordedCommits {
  /// What A10 promises, and what the image holds instead.
  package struct Broken: Error, CustomStringConvertible {
    package let description: String
  }

  package let recorder: CrashRecorder
  private let folder: TemporaryDirectory
  private let synchronous: SQLiteWorkspace.Synchronous
  private let hasMembers: Bool
  private var workspace: SQLiteWorkspace
  /// How many operations had been recorded when each commit was acknowledged; the first is for none.
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
    var options = SQLiteWorkspace.Options()
    options.vfs = FaultPlan.vfsName
    options.logger.logLevel = .critical
    options.synchronous = synchronous
    return try SQLiteWorkspace.open(filePath: path, options: options)
  }

  // MARK: What is recorded

  private func acknowledge(_ what: String) {
    acknowledged.append(recorder.count)
    steps.append("commit \(acknowledged.count - 1), \(what), acknowledged at \(recorder.count)")
  }

  /// Commits the next number in a transaction of keys and objects, with so many bytes more.
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

  /// Commits the next number, below zero, in a plain write, and waits for it.
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

  /// Has the indexes of the members filled in the background.
  package func wantIndexes() {
    MemberFile.wantIndexes(workspace)
    steps.append("indexes wanted at \(recorder.count)")
  }

  package func close() {
    workspace.shutdown()
    steps.append("closed at \(recorder.count)")
  }

  // MARK: What a crash leaves

  /// Opens the folder that a crash behind the first `count` operations left, and compares what is in it.
  ///
  /// - Parameters:
  ///   - vfs: A VFS other than the system's, to record the recovery.
  ///   - isSecond: The folder is what another crash left of one that was checked before.
  package func check(
    _ image: TemporaryDirectory, after count: Int, _ kind: CrashRecorder.Image, vfs: String? = nil,
    isSecond: Bool = false
  ) throws {
    let expected = acknowledged.lastIndex { $0 <= count } ?? 0
    var options = SQLiteWorkspace.Options()
    options.vfs = vfs
    options.synchronous = synchronous
    options.fillsIndexes = false
    options.followsOtherProcesses = false
    options.logger.logLevel = .critical
    let workspace = try SQLiteWorkspace.open(filePath: image.file(), options: options)
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity([Post.self])
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let numbers = try workspace.dictionary.entries(withPrefix: "number").map { $0.key.dropFirst(6) }
    let last = numbers.count
    try require(
      Set(numbers) == Set((0..<last).map { Substring("\($0 + 1)") }), "The image holds not a prefix, but \(numbers).")
    try requireWhole(workspace, last)
    // So are the members, the steps of index filling, and what the first check wrote.
    let more = hasMembers ? UInt64.max / 2 : isSecond ? 1 : 0
    try require(
      UInt64(last)...(UInt64(last) + more) ~= workspace.commitNumber,
      "The image holds \(last) commits, and its commit number is \(workspace.commitNumber).")
    try require(last <= expected + 1, "The image holds \(last) commits, and \(expected) were acknowledged.")
    let isBound: Bool = if case .all = kind { true } else { synchronous == .full }
    try require(!isBound || last >= expected, "Of \(expected) acknowledged commits \(last) are there.")
    try workspace.transactAndWait { $0.dictionary["after the crash"] = true }
  }

  /// The newest transaction of the prefix is there in all its parts, as are the plain writes, and nothing newer.
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
      try require(members == MemberFile.count, "Of \(MemberFile.count) members \(members) are there.")
    }
  }

  private func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: message()) }
  }

  /// The case, for people.
  package func describe(_ image: CrashRecorder.Image, after count: Int) -> String {
    "synchronous \(synchronous), image \(image) after operation \(count) of \(recorder.count): "
      + "\(recorder.describe(count))\n" + steps.joined(separator: "\n")
  }
}
