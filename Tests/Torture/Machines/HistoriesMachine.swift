import DflatKV
import Foundation
import HistoryChecker
import TestSupport

/// Runs random transactions in several processes on one file, which are killed and stopped while the file is busy. A
/// checker judges their histories (A1, A3 to A6, A8 to A10).
struct HistoriesMachine: Machine {
  static let name = "histories"
  static let summary = "Judges what transactions of several processes saw, under kills, stops and a busy file"
  static let unit = "transactions"
  static let share = 10.0
  static let goal = 1_000_000
  /// Longer than the wait for a process that does not end, so that the finding can name the process.
  static let roundLimit = 150.0

  private static let seconds = 1.6
  private let environment: TortureEnvironment
  /// A folder in memory where the system has one: a kill leaves the same there.
  private let folder: String

  init(environment: TortureEnvironment) throws {
    self.environment = environment
    let memory = "/dev/shm"
    folder = FileManager.default.isWritableFile(atPath: memory) ? memory : environment.folder
  }

  func round(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory(keeping: "\(folder)/dflat-histories-\(getpid())-\(seed)")
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let scene = HistoryScene(folder, seed: random.next())
    do {
      try scene.play(for: Self.seconds)
      let history = try scene.end()
      let anomalies = history.anomalies()
      try require(
        anomalies.isEmpty, "\(anomalies.count) anomalies; the first is \(anomalies[0].kind.rawValue)",
        case: anomalies.prefix(8).map { "\($0)" }.joined(separator: "\n") + "\n\(scene.log.joined(separator: "\n"))")
      return history.steps.count { $0.kind != .plain }
    } catch {
      try? FileManager.default.copyItem(atPath: folder.path, toPath: environment.folder + "/history")
      throw error
    }
  }
}

/// The processes of one history, and the kills and stops that they suffer.
private final class HistoryScene {
  private static let threads = 2
  private static let mostWorkers = OrderedKeys.mostWorkers(threads: threads)

  private struct Worker {
    var child: ChildProcess
    var number: Int
  }

  private let folder: TemporaryDirectory
  private var random: SeededGenerator
  private var workers: [Worker] = []
  private var killed: [Int: UInt64] = [:]
  private var started = 0
  private let settings: [String]
  private let hasLongValues: Bool
  private(set) var log: [String] = []

  init(_ folder: TemporaryDirectory, seed: UInt64) {
    self.folder = folder
    random = SeededGenerator(seed: seed)
    hasLongValues = Bool.random(using: &random)
    // Alphabet, long values, `.full`, cache.
    settings = [
      "\([0, 0, 1, 2].randomElement(using: &random) ?? 0)", hasLongValues ? "1" : "0",
      Int.random(in: 0..<3, using: &random) == 0 ? "1" : "0",
      Int.random(in: 0..<3, using: &random) == 0 ? "20" : "0",
    ]
    log.append("alphabet, long values, full, cache: \(settings)")
  }

  private func path(ofLog number: Int) -> String { folder.file("\(number).log") }

  private func start(threads: Int = HistoryScene.threads) throws -> Worker {
    let arguments = [
      "ordered", folder.file(), path(ofLog: started), "\(started)", "\(threads)", "\(random.next() >> 1)",
    ]
    let child = try ChildProcess(try BuiltExecutable.url(named: "StressWorker"), arguments + settings)
    let worker = Worker(child: child, number: started)
    started += 1
    return worker
  }

  /// Waits until a worker that was started has opened the file.
  private func ready(_ worker: Worker) throws {
    do { try worker.child.readUntil { $0 == "ready" } } catch {
      throw Finding("A process did not start: \(worker.child.standardError)")
    }
  }

  func play(for seconds: Double) throws {
    for _ in 0..<Int.random(in: 2...3, using: &random) { workers.append(try start()) }
    for worker in workers { try ready(worker) }
    let end = ContinuousClock.now + .seconds(seconds)
    let busy = BusyFile(folder.file(), until: end, seed: random.next())
    while ContinuousClock.now < end {
      usleep(UInt32.random(in: 20_000...250_000, using: &random))
      let place = Int.random(in: 0..<workers.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where started < Self.mostWorkers: try kill(place)
      case 1, 2:
        log.append("stop \(workers[place].number)")
        workers[place].child.kill(SIGSTOP)
        usleep(UInt32.random(in: 1_000...150_000, using: &random))
        // The process may be killed while it is stopped.
        if Int.random(in: 0..<6, using: &random) == 0, started < Self.mostWorkers {
          try kill(place)
        } else {
          workers[place].child.kill(SIGCONT)
        }
      default: break
      }
    }
    try busy.join()
  }

  private func kill(_ place: Int) throws {
    let worker = workers[place]
    log.append("kill \(worker.number)")
    worker.child.kill()
    let ending = try worker.child.wait()
    killed[worker.number] = Self.now
    try require(ending == .signal(SIGKILL), "A process ended by \(ending): \(worker.child.wholeStandardError())")
    try requireNoComplaint(worker)
    workers[place] = try start()
    try ready(workers[place])
  }

  private func requireNoComplaint(_ worker: Worker) throws {
    let complaints = worker.child.wholeStandardError()
    try require(complaints.isEmpty, "A call of process \(worker.number) failed.", case: complaints)
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Ends all processes, reads the state that they left with another one, and returns the history of all.
  func end() throws -> OrderedHistory {
    for worker in workers { try finish(worker) }
    let reader = try start(threads: 0)
    try ready(reader)
    try finish(reader)
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let problems = try workspace.checkIntegrity()
    workspace.shutdown()
    try require(problems.isEmpty, "The integrity check finds \(problems).")
    var history = OrderedKeys.history
    history.mayPassOver = hasLongValues
    for (process, time) in killed { history.noteKill(of: process, at: time) }
    for number in 0..<started {
      guard let bytes = FileManager.default.contents(atPath: path(ofLog: number)) else { continue }
      try history.add(log: Array(bytes), process: number)
    }
    return history
  }

  private func finish(_ worker: Worker) throws {
    try? worker.child.write("end")
    do { try worker.child.readUntil { $0 == "bye" } } catch {
      throw Finding("Process \(worker.number) did not end: \(error)", case: worker.child.standardError)
    }
    let ending = try worker.child.wait()
    try require(ending == .exit(0), "A process ended by \(ending).", case: worker.child.wholeStandardError())
    try requireNoComplaint(worker)
  }
}

/// Another program that locks the file for a while, again and again.
private struct BusyFile {
  private let thread: BackgroundThread<Void>

  init(_ path: String, until end: ContinuousClock.Instant, seed: UInt64) {
    thread = BackgroundThread {
      var random = SeededGenerator(seed: seed)
      let file = try RawDatabase(path)
      while ContinuousClock.now < end {
        usleep(UInt32.random(in: 50_000...400_000, using: &random))
        try file.execute("BEGIN IMMEDIATE")
        usleep(UInt32.random(in: 0...60_000, using: &random))
        try file.execute(Bool.random(using: &random) ? "ROLLBACK" : "COMMIT")
      }
    }
  }

  func join() throws { try thread.join() }
}
