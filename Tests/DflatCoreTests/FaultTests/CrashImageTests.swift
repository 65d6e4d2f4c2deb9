import DflatKV
import TestSupport
import Testing

/// Crash images: whatever the instant, the file opens and holds a prefix of the commits (A10).
@Suite struct CrashImageTests {
  /// The number of recorded operations when each transaction's outcome was known; the first is for none.
  private struct History {
    let recorder: CrashRecorder
    var acknowledged = [0]

    func acknowledgedCommits(after count: Int) -> Int { (acknowledged.lastIndex { $0 <= count }) ?? 0 }
  }

  private func run(
    _ directory: TemporaryDirectory, synchronous: SQLiteWorkspace.Synchronous, commits: Int, bytes: Int
  ) throws -> History {
    var history = History(recorder: try CrashRecorder(folder: directory))
    var options = FaultBench.options
    options.synchronous = synchronous
    let workspace = try SQLiteWorkspace.open(filePath: directory.file(), options: options)
    for commit in 1...commits {
      try workspace.transactAndWait { txn in
        txn.dictionary["first"] = commit
        txn.dictionary["blob\(commit % 7)"] = String(repeating: "b", count: bytes)
        txn.dictionary["number\(commit)"] = commit
        txn.dictionary["last"] = commit
      }
      history.acknowledged.append(history.recorder.count)
    }
    workspace.shutdown()
    return history
  }

  /// Opens an image as a new process would after the crash; gives the number of commits in it.
  private func commits(in folder: TemporaryDirectory, _ what: Comment) throws -> Int {
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    defer { workspace.shutdown() }
    #expect(try workspace.checkIntegrity() == [], what)
    let last = try workspace.dictionary.value(forKey: "last", as: Int.self) ?? 0
    #expect(try workspace.dictionary.value(forKey: "first", as: Int.self) ?? 0 == last, what)
    let numbers = workspace.dictionary.keys(withPrefix: "number").count
    #expect(numbers == last, what)
    #expect(workspace.commitNumber == UInt64(last), what)
    try workspace.transactAndWait { txn in txn.dictionary["after the crash"] = true }
    return last
  }

  private func check(_ history: History, synchronous: SQLiteWorkspace.Synchronous, at counts: [Int]) throws {
    for count in counts {
      let expected = history.acknowledgedCommits(after: count)
      for image in [CrashRecorder.Image.all, .synced, .subset(seed: UInt64(count))] {
        let folder = try TemporaryDirectory("crash-image")
        try history.recorder.writeImage(after: count, image, into: folder)
        let what: Comment = "\(image) after operation \(count), \(history.recorder.describe(count))"
        let found = try commits(in: folder, what)
        if case .all = image {
          #expect(found == expected || found == expected + 1, what)
        } else {
          #expect(found <= expected + 1, what)
          if synchronous == .full { #expect(found >= expected, what) }
        }
      }
    }
  }

  @Test(arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func everyInstantOfTheFirstCommits(synchronous: SQLiteWorkspace.Synchronous) throws {
    let directory = try TemporaryDirectory("crash")
    let history = try run(directory, synchronous: synchronous, commits: 6, bytes: 10)
    try check(history, synchronous: synchronous, at: Array(0...history.recorder.count))
  }

  /// Commits enough for checkpoints and for the log to start anew; the instants are drawn at random.
  @Test(arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func instantsAroundCheckpoints(synchronous: SQLiteWorkspace.Synchronous) throws {
    let directory = try TemporaryDirectory("crash")
    let history = try run(directory, synchronous: synchronous, commits: 60, bytes: 200_000)
    var generator = SeededGenerator.announced(for: "instantsAroundCheckpoints")
    let count = history.recorder.count
    try check(
      history, synchronous: synchronous, at: (1...40).map { _ in Int.random(in: 0...count, using: &generator) })
  }
}
