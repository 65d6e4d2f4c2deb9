import DflatKV
import Foundation
import HistoryChecker
import TestSupport
import Testing

/// Random transactions of several threads in several processes on one file, and their history.
///
///     worker 1  ──page 0──▶ done       ──page 1──▶ done
///     worker 2  ──page 0────────▶ done ──page 1──▶ done          (or ✕, killed in the middle; another goes on)
///     test                        ──reads page 0──              ──reads page 1──
final class HistoryRun {
  /// Number of transactions in a page, so that the page's lists stay short.
  static let transactionsPerPage = 400
  private static let threads = 2
  /// Equals `HistoryClient.valuesPerTransaction`.
  private static let valuesPerTransaction = 8
  private static let failpoints = ["beforeCommit", "committedBeforePublish", "publishedBeforeTouch", "memberBegan"]

  private let folder: TemporaryDirectory
  private var random: SeededGenerator
  private var workers: [HistoryWorker] = []
  private var dead: [HistoryWorker] = []
  /// A worker that only reads and observes.
  private let reader: HistoryWorker
  /// Number of closures that ran in vain because another process had changed values that they had read; known at the
  /// end.
  private(set) var conflicts = 0
  private var nextPage = 0
  private var nextValue = 1

  init(seed: SeededGenerator, workers count: Int = 2) throws {
    random = seed
    folder = try TemporaryDirectory("history")
    reader = try HistoryWorker(folder, number: 0, threads: 1)
    for _ in 0..<count { try start() }
  }

  /// Number of killed processes.
  var kills: Int { dead.count }

  private func start() throws {
    workers.append(
      try HistoryWorker(folder, number: workers.count + dead.count + 1, threads: Self.threads))
  }

  /// Runs a page in all workers. One of them may be killed somewhere in it; another takes its place.
  func runPage(killsOne: Bool = false) throws {
    for worker in workers + [reader] { try worker.command("observe \(nextPage)") }
    let count = Self.transactionsPerPage / workers.count
    let victim = killsOne ? Int.random(in: 0..<workers.count, using: &random) : -1
    let diesByItself = victim >= 0 && Self.hasFailpoints && Bool.random(using: &random)
    if diesByItself, let failpoint = Self.failpoints.randomElement(using: &random) {
      try workers[victim].command("die \(failpoint) \(Int.random(in: 1...20, using: &random))")
    }
    for (owner, worker) in workers.enumerated() {
      try worker.child.write("run \(nextPage) \(nextValue) \(count) \(random.next() >> 8) \(owner)")
      nextValue += count * Self.valuesPerTransaction
    }
    if victim >= 0 {
      // Kill the victim at a random progress, unless it dies by itself before.
      for _ in 0..<Int.random(in: 0..<count / 16, using: &random) where try workers[victim].child.nextLine() == nil {
        break
      }
      if !diesByItself { workers[victim].child.kill() }
      #expect(try workers[victim].child.wait() == .signal(SIGKILL), "\(workers[victim].child.standardError)")
      dead.append(workers.remove(at: victim))
    }
    for worker in workers { try worker.child.readUntil(line: "ok") }
    if victim >= 0 { try start() }
    try reader.command("read \(nextPage)")
    nextPage += 1
  }

  private static var hasFailpoints: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// Ends all workers and returns the history of all processes.
  func finish() throws -> History {
    for worker in workers + [reader] {
      worker.child.closeInput()
      for line in try worker.child.remainingLines() where line.hasPrefix("conflicts ") {
        conflicts += Int(line.dropFirst(10)) ?? 0
      }
      #expect(try worker.child.wait() == .exit(0), "\(worker.child.wholeStandardError())")
    }
    for worker in dead + workers + [reader] {
      let complaints = worker.child.wholeStandardError().split(separator: "\n").filter {
        $0.contains("a transaction failed")
      }
      #expect(complaints.isEmpty, "\(complaints.count) transactions failed: \(complaints.prefix(3))")
    }
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    #expect(try workspace.checkIntegrity() == [])
    workspace.shutdown()
    var history = History()
    for worker in dead + workers + [reader] {
      try history.add(log: Array(Data(contentsOf: URL(fileURLWithPath: worker.log))), process: worker.number)
    }
    return history
  }
}

private struct HistoryWorker {
  let child: ChildProcess
  let number: Int
  let log: String

  init(_ folder: TemporaryDirectory, number: Int, threads: Int) throws {
    self.number = number
    log = folder.file("\(number).log")
    child = try worker("history", folder.file(), log, "\(threads)")
    try child.readUntil(line: "ok")
  }

  func command(_ line: String) throws {
    try child.write(line)
    try child.readUntil(line: "ok")
  }
}
