import DflatKV
import Foundation
import GoldenModels
import TestSupport

/// Records what transactions do to the file, and opens what a crash behind any of the operations leaves (A10).
struct CrashImagesMachine: Machine {
  static let name = "crash-images"
  static let summary =
    "Opens what is left of the file by a crash at each operation, unsynced sectors kept, lost or torn"
  static let unit = "images"
  static let share = 2.0
  static let goal = 100_000

  private static let imagesPerRound = 64
  private let environment: TortureEnvironment

  init(environment: TortureEnvironment) throws { self.environment = environment }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let history = try CrashHistory(environment.directory("recorded"), &random)
    for index in 0..<Self.imagesPerRound {
      let count = Int.random(in: 0...history.recorder.count, using: &random)
      let image: CrashRecorder.Image =
        switch index % 4 {
        case 0: .all
        case 1: .synced
        case 2: .subset(seed: random.next())
        default: .torn(seed: random.next())
        }
      let folder = try TemporaryDirectory("image")
      try history.recorder.writeImage(after: count, image, into: folder)
      do { try history.check(folder, after: count, image) } catch {
        // The image again, where the driver keeps it.
        try history.recorder.writeImage(after: count, image, into: environment.directory("image"))
        let message = (error as? Finding)?.message ?? "Opening the image threw \(error)."
        throw Finding(message, case: history.description(of: image, after: count))
      }
    }
    return Self.imagesPerRound
  }
}

/// Some transactions, and how many operations had been recorded when each was acknowledged.
private struct CrashHistory {
  let recorder: CrashRecorder
  private let synchronous: SQLiteWorkspace.Synchronous
  private var acknowledged = [0]
  private var steps: [String] = []

  init(_ folder: TemporaryDirectory, _ random: inout SeededGenerator) throws {
    recorder = try CrashRecorder(folder: folder)
    synchronous = Bool.random(using: &random) ? .full : .normal
    var options = SQLiteWorkspace.Options()
    options.vfs = FaultPlan.vfsName
    options.logger.logLevel = .critical
    options.synchronous = synchronous
    var workspace = try SQLiteWorkspace.open(filePath: folder.file(), options: options)
    for commit in 1...Int.random(in: 1...16, using: &random) {
      let bytes = [0, 10, 600, 5_000, 200_000, 1_500_000].randomElement(using: &random) ?? 0
      try workspace.transactAndWait([Post.self]) { transaction in
        transaction.dictionary["first"] = commit
        transaction.dictionary["blob\(commit % 5)"] = Data(repeating: UInt8(commit), count: bytes)
        transaction.dictionary["number\(commit)"] = commit
        try transaction.insert(Post(title: "post \(commit)", priority: Int32(commit)))
        transaction.dictionary["last"] = commit
      }
      acknowledged.append(recorder.count)
      steps.append("commit \(commit) with \(bytes) bytes, acknowledged at \(recorder.count)")
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        _ = try workspace.compact()
        steps.append("compact, done at \(recorder.count)")
      case 1:
        workspace.shutdown()
        workspace = try SQLiteWorkspace.open(filePath: folder.file(), options: options)
        steps.append("closed and opened at \(recorder.count)")
      case 2:
        _ = workspace.fetch(for: Post.self).count(where: Post.priority > 0)
      default: break
      }
    }
    workspace.shutdown()
    steps.append("closed at \(recorder.count)")
  }

  func check(_ folder: TemporaryDirectory, after count: Int, _ image: CrashRecorder.Image) throws {
    let expected = acknowledged.lastIndex { $0 <= count } ?? 0
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    defer { workspace.shutdown() }
    let problems = try workspace.checkIntegrity()
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    let dictionary = workspace.dictionary
    let last = try dictionary.value(forKey: "last", as: Int.self) ?? 0
    let found = [
      try dictionary.value(forKey: "first", as: Int.self) ?? 0, dictionary.keys(withPrefix: "number").count,
      try workspace.query(for: Post.self).count(), Int(workspace.commitNumber),
    ]
    try require(
      found.allSatisfy { $0 == last }, "The image holds part of a transaction: last is \(last), not \(found).")
    try require(last <= expected + 1, "The image holds \(last) commits, and \(expected) were acknowledged.")
    let isBound: Bool = if case .all = image { true } else { synchronous == .full }
    try require(!isBound || last >= expected, "Of \(expected) acknowledged commits \(last) are there.")
    try workspace.transactAndWait { $0.dictionary["after the crash"] = true }
  }

  func description(of image: CrashRecorder.Image, after count: Int) -> String {
    "synchronous \(synchronous), image \(image) after operation \(count) of \(recorder.count): "
      + "\(recorder.describe(count))\n" + steps.joined(separator: "\n")
  }
}
