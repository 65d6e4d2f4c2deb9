import EtcdTestSupport
import Foundation
import Synchronization

/// Programs on three machines, each with a file of its own, that run random transactions on one cluster, page by page.
///
///     machine 0  ──page 0──▶ done       ──page 1──▶ done
///     machine 1  ──page 0────────▶ done ──page 1──▶ done          (or ✕, killed in the middle; another one goes on)
///     machine 2  ──page 0──▶ done       ──page 1──────▶ done
///     reader                             ──reads page 0──         ──reads page 1──
///
/// The reader is a second process on the file of machine 0. At the end, a new machine reads all pages.
final class ReplicaHistory: Sendable {
  /// What the programs of all machines did.
  struct Result {
    var pages, kills, conflicts: Int
    /// What `StressWorker judge` counted, and the anomalies that it found.
    var committed = 0, aborted = 0, unknown = 0
    var anomalies: [String] = []
  }

  private static let transactionsPerPage = 300
  private static let threads = 2
  /// Equals `HistoryClient.valuesPerTransaction`.
  private static let valuesPerTransaction = 8
  /// Where programs are killed, the first of which is between the append to the cluster's log and the file's COMMIT.
  private static let failpoints = ["appendedBeforeCommit", "beforeCommit", "committedBeforePublish", "memberBegan"]
  private static let prefix = "/nemesis/"

  private let folder: URL
  private let endpoints: [[String]]
  private let programs: Mutex<[HistoryProgram]>
  private let reader: HistoryProgram
  private let ended = Mutex<[HistoryProgram]>([])
  /// The next program's number.
  private let numbers: Atomic<Int>
  private let isStopped = Atomic(false)

  /// Starts the programs.
  ///
  /// - Parameter endpoints: The members as each machine reaches them.
  init(_ endpoints: [[String]], folder: URL) throws {
    self.folder = folder
    self.endpoints = endpoints
    let started = try endpoints.enumerated().map { machine, endpoints in
      try Self.start(machine, number: machine, endpoints, folder)
    }
    reader = try Self.start(0, number: endpoints.count, endpoints[0], folder)
    programs = Mutex(started)
    numbers = Atomic(endpoints.count + 1)
  }

  /// The number of machines.
  var machines: Int { endpoints.count }

  private static func start(
    _ machine: Int, number: Int, _ endpoints: [String], _ folder: URL, isPatient: Bool = false
  ) throws -> HistoryProgram {
    // One machine's calls outlast most faults.
    let timeout = machine == 0 || isPatient ? 60 : 5
    return try HistoryProgram(
      folder, number: number, database: "\(machine).db", ["\(threads)", prefix, "\(timeout)"] + endpoints)
  }

  /// The program on a machine. It may have been killed, and then another one takes its place.
  func program(on machine: Int) -> HistoryProgram { programs.withLock { $0[machine] } }

  private func nextNumber() -> Int { numbers.add(1, ordering: .relaxed).oldValue }

  // MARK: Running

  /// Ends `run()` after the page that runs.
  func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Runs pages until `stop()` is called, and returns their number. Blocks its thread.
  func run() throws -> Int {
    var page = 0
    repeat {
      try run(page, killsOne: page % 3 == 2)
      page += 1
    } while !isStopped.load(ordering: .relaxed)
    return page
  }

  private func run(_ page: Int, killsOne: Bool) throws {
    for machine in 0..<machines { try program(on: machine).obey("observe \(page)") }
    let count = Self.transactionsPerPage / machines
    let victim = killsOne ? Int.random(in: 0..<machines) : -1
    let failpoint = Bool.random() ? Self.failpoints.randomElement() : nil
    if victim >= 0, let failpoint {
      try program(on: victim).obey("die \(failpoint) \(Int.random(in: 1...10))")
    }
    for machine in 0..<machines {
      let first = 1 + (page * machines + machine) * count * Self.valuesPerTransaction
      try program(on: machine).say("run \(page) \(first) \(count) \(Int.random(in: 0..<1 << 40)) \(machine)")
    }
    if victim >= 0 { try kill(victim, atFailpoint: failpoint != nil, dots: count / 8) }
    for machine in 0..<machines where machine != victim { try program(on: machine).expect("ok") }
    if victim >= 0 {
      let next = try Self.start(
        victim, number: nextNumber(), endpoints[victim], folder)
      programs.withLock { $0[victim] = next }
    }
    try reader.obey("read \(page)")
  }

  /// Waits until a program has died by itself, or kills it somewhere in its page, or at its end.
  private func kill(_ victim: Int, atFailpoint: Bool, dots: Int) throws {
    let program = program(on: victim)
    var left = atFailpoint ? Int.max : Int.random(in: 0...dots)
    while left > 0, let line = program.nextLine(), line == "." { left -= 1 }
    program.kill()
    ended.withLock { $0.append(program) }
  }

  // MARK: Judging

  /// Lets a new machine read all pages, ends all programs, compares all files with the cluster, and judges the history.
  ///
  /// - Parameter report: Receives what is wrong but isn't an anomaly of the history.
  func judge(pages: Int, report: (String) -> Void) throws -> Result {
    let fresh = try Self.start(
      machines, number: nextNumber(), endpoints[0], folder, isPatient: true)
    for page in 0..<pages { try fresh.obey("read \(page)") }
    let killed = ended.withLock(\.self)
    let living = programs.withLock(\.self) + [reader, fresh]
    var result = Result(pages: pages, kills: killed.count, conflicts: 0)
    for program in living { result.conflicts += try program.finish() }
    for program in killed + living {
      let errors = program.text(ofErrors: 3)
      if !errors.isEmpty { report(errors) }
    }
    for machine in 0...machines { try compare("\(machine).db", report) }
    for line in try output(of: "StressWorker", ["judge", folder.path()]).lines {
      let words = line.split(separator: " ")
      switch words.first {
      case "committed": result.committed = Int(words[1]) ?? 0
      case "aborted": result.aborted = Int(words[1]) ?? 0
      case "unknown": result.unknown = Int(words[1]) ?? 0
      case "bye": return result
      default: result.anomalies.append(line)
      }
    }
    report("the judge failed")
    return result
  }

  /// Compares a file with its cluster, row by row.
  private func compare(_ name: String, _ report: (String) -> Void) throws {
    let path = folder.appending(path: name).path()
    let check = try output(of: "kvtool", ["cluster", "check", "--timeout", "60", "--db", path])
    if check.status != 0 { report("\(name): \(check.lines.joined(separator: "\n"))") }
  }

  private func output(of tool: String, _ arguments: [String]) throws -> (status: Int32, lines: [String]) {
    let file = folder.appending(path: "output")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    let process = try ChildProcess(
      [BuiltTool.url(named: tool).path()] + arguments, output: handle.fileDescriptor, error: handle.fileDescriptor)
    let status = process.wait()
    try handle.close()
    let text = try String(contentsOf: file, encoding: .utf8)
    return (status, text.split(separator: "\n").map(String.init))
  }
}
