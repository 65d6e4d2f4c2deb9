import DflatKV
import TestSupport
import Testing

/// Crash images: after a crash at any instant, the file opens and holds a prefix of the commits (A10).
@Suite struct CrashImageTests {
  private func check(_ commits: RecordedCommits, at counts: [Int]) throws {
    for count in counts {
      for image in [CrashRecorder.Image.all, .synced, .subset(seed: UInt64(count)), .torn(seed: UInt64(count))] {
        let folder = try TemporaryDirectory("crash-image")
        try commits.recorder.writeImage(after: count, image, into: folder)
        #expect(throws: Never.self, "\(commits.describe(image, after: count))") {
          try commits.check(folder, after: count, image)
        }
      }
    }
  }

  @Test(
    "A crash at any instant of the first commits leaves a prefix of them",
    arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func everyInstantOfTheFirstCommits(synchronous: SQLiteWorkspace.Synchronous) throws {
    let directory = try TemporaryDirectory("crash")
    let commits = try RecordedCommits(in: directory, synchronous: synchronous)
    for commit in 1...6 { try commit % 3 == 0 ? commits.writePlainly() : commits.transact(bytes: 10) }
    commits.close()
    try check(commits, at: Array(0...commits.recorder.count))
  }

  /// Makes enough commits for checkpoints and for the log to start over. The instants are random.
  @Test(
    "A crash around a checkpoint leaves a prefix of the commits",
    arguments: [SQLiteWorkspace.Synchronous.normal, .full])
  func instantsAroundCheckpoints(synchronous: SQLiteWorkspace.Synchronous) throws {
    let directory = try TemporaryDirectory("crash")
    let commits = try RecordedCommits(in: directory, synchronous: synchronous)
    for _ in 1...60 { try commits.transact(bytes: 200_000) }
    commits.close()
    var generator = SeededGenerator.announced(for: "instantsAroundCheckpoints")
    let count = commits.recorder.count
    try check(commits, at: (1...40).map { _ in Int.random(in: 0...count, using: &generator) })
  }
}
