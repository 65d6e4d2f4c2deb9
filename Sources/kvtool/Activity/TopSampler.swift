import DflatCore
import DflatKV
import Synchronization

/// Takes samples of a file's activity, each since the last one.
final class TopSampler: Sendable {
  private struct Last {
    var commit: UInt64
    var time: ContinuousClock.Instant
  }

  private let workspace: SQLiteWorkspace
  private let path: String
  private let last: Mutex<Last>

  init(_ workspace: SQLiteWorkspace, path: String) throws {
    self.workspace = workspace
    self.path = path
    last = Mutex(Last(commit: try workspace.fileStatistics().commitNumber, time: .now))
  }

  /// - Throws: The errors of reading the file.
  func sample() throws -> TopSample {
    try last.withLock { last in
      var activity = FileActivity()
      let commits = try workspace.loggedCommits(after: last.commit, wasRead: true)
      let first = commits.first?.number ?? last.commit + 1
      if first > last.commit {
        if first > last.commit + 1 { activity.add(missed: Int(clamping: first - last.commit - 1)) }
        for commit in commits { activity.add(commit) }
      } else {
        // An older file has replaced this one. Nothing tells which commits of its log are new.
        activity.add(missed: 0)
      }
      let now = ContinuousClock.now
      let (seconds, attoseconds) = (now - last.time).components
      last = Last(commit: commits.last?.number ?? last.commit, time: now)
      return TopSample(
        path: path, seconds: Double(seconds) + Double(attoseconds) / 1e18, activity: activity,
        file: try workspace.fileStatistics(), users: FileUser.all(ofFile: path))
    }
  }
}
