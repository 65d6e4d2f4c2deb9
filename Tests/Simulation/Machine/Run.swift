import DflatCore
import DflatKV
import DflatSupport
import Logging
import MemoryReplication
import SimulatedRuntime

enum LaneA {}
enum LaneB {}
enum LaneC {}
enum LaneD {}

/// One schedule of a program.
final class Run: @unchecked Sendable {  // one real thread
  let program: Program
  let simulation: Simulation
  let model: Model
  let path: String
  /// The workspaces by their places.
  private var workspaces: [SQLiteWorkspace?] = []
  let cluster = MemoryCluster()
  /// The faults of each replica's log, and the number of its file, by its place.
  private(set) var faults: [LogFaults?] = []
  private var files: [Int] = []
  private static let lanes: [Any.Type] = [LaneA.self, LaneB.self, LaneC.self, LaneD.self]
  var watches: [Watch] = []

  private let checks: Bool

  init(_ program: Program, scheduleSeed: UInt64, path: String, checks: Bool = true) {
    self.program = program
    self.checks = checks
    self.path = path
    simulation = Simulation(seed: scheduleSeed, options: program.schedule)
    model = Model(program)
  }

  var isReplicated: Bool { program.replication != nil }
  var hasFaults: Bool { program.schedule.faultOneIn > 0 }

  private var hasReportedBusy = false

  /// Returns true if plain writes were dropped, with a report: a schedule may stop the holder of SQLite's lock for
  /// longer than the busy timeout. The report comes later, on another thread.
  func hasDroppedWrites() -> Bool {
    if !hasReportedBusy { simulation.sleep(nanoseconds: 1_000_000_000) }
    return hasReportedBusy
  }

  func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if checks, !condition { simulation.fail(message()) }
  }

  func run() {
    for file in paths { for suffix in ["", "-wal", "-shm", "-dflat", "-journal"] { unlink(file + suffix) } }
    simulation.run { [self] in main() }
  }

  /// Returns true if a counter may have ended with a value.
  private func allows(_ value: Int, in counter: Int) -> Bool {
    value >= model.successes[counter] && value <= model.successes[counter] + model.unknown[counter]
  }

  private func note(_ error: WorkspaceError) {
    switch error.code {
    case .busy: hasReportedBusy = true
    // The cluster may have the plain writes of a group whose outcome is unknown. Those that waited for the cluster when
    // the workspace closed are lost.
    case .outcomeUnknown, .unavailable: if isReplicated { hasReportedBusy = true }
    case .corrupt, .clusterMismatch: check(!isReplicated, "A replica can't follow: \(error)")
    default: break
    }
  }

  func options(vfs: String?) -> SQLiteWorkspace.Options {
    var options = SQLiteWorkspace.Options()
    options.logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    options.errorHandler = { [self] error in note(error) }
    options.vfs = vfs
    options.writeConcurrency = program.isSerial ? .serial : .concurrent
    options.cacheLimit = program.cacheEntries > 0 ? .entries(program.cacheEntries) : .unlimited
    switch program.target {
    case .threads: break
    case .serialQueue: options.targetQueue = SimulatedQueue(label: "target")
    case .concurrentQueue: options.targetQueue = SimulatedQueue(label: "target", attributes: .concurrent)
    }
    return options
  }

  private func main() {
    openAll()
    SimulatedThreads.run(
      program.actors.map { actor in ("thread \(actor.number)", { ActorRun(self, actor).run() }) })
    while model.outstanding > 0 { simulation.sleep(nanoseconds: 1_000_000) }
    if !hasFaults { simulation.endFaults() }
    settle()
    for (index, workspace) in workspaces.enumerated() {
      model.isClosing[index] = true
      workspace?.shutdown()
    }
    for watch in watches { watch.cancel(self, onDeliveryQueue: false) }
    watches = []
    workspaces = []
    if isReplicated { checkReplicas() } else { checkFile(SQLiteWorkspace(filePath: path, options: options(vfs: nil))) }
    simulation.finish()
  }

  // MARK: Workspaces

  private var paths: [String] { [path] + (1...4).map { path + "\($0)" } }

  /// The path of a file that no workspace of the program has.
  var newPath: String { paths[4] }
  var replicaPaths: [String] { Set(program.replication?.files ?? []).sorted().map { paths[$0] } }

  private func openAll() {
    guard let replication = program.replication else {
      workspaces = (0..<program.workspaces).map { _ in
        SQLiteWorkspace(filePath: path, options: options(vfs: FileHooks.vfsName))
      }
      return
    }
    workspaces = Array(repeating: nil, count: program.places)
    faults = Array(repeating: nil, count: program.places)
    files = replication.files + Array(repeating: 0, count: program.places - replication.files.count)
    SimulatedThreads.run(
      (0..<program.workspaces).map { place in ("opens \(place)", { [self] in open(place) }) })
  }

  /// Opens a replica at another place, on the file of an earlier one.
  func reopen(_ place: Int, at new: Int) {
    files[new] = files[place]
    model.inherit(new, from: place)
    open(new)
  }

  private func open(_ place: Int) {
    guard let replication = program.replication else { return }
    let faults = LogFaults(seed: simulation.random.next(), replication.faults)
    self.faults[place] = faults
    workspaces[place] = openReplica(paths[files[place]], faults, vfs: FileHooks.vfsName)
  }

  /// Opens a replica. A new file needs the cluster, which may be out of reach for a while.
  func openReplica(_ path: String, _ faults: LogFaults, vfs: String?) -> SQLiteWorkspace {
    var replication = cluster.replication(faults)
    replication.timeout = .milliseconds(program.replication?.timeoutMilliseconds ?? 10_000)
    replication.snapshotBytes = program.replication?.snapshotBytes ?? 1 << 20
    for _ in 0..<200 {
      do {
        return try SQLiteWorkspace.open(filePath: path, options: options(vfs: vfs), replication: replication)
      } catch {
        let code = (error as? WorkspaceError)?.code
        check(code == .unavailable || code == .busy, "A replica can't be opened: \(error)")
        simulation.sleep(nanoseconds: 10_000_000)
      }
    }
    simulation.fail("A replica can't be opened, although it was tried 200 times.")
  }

  /// Returns true if the network may be the reason for an error.
  func allows(_ code: WorkspaceError.Code?) -> Bool {
    switch code {
    // A schedule may stop a thread for longer than the timeout.
    case .unavailable: true
    case .outcomeUnknown, .conflict: program.replication?.hasFaults == true
    default: false
    }
  }

  /// The replicas that are open.
  var replicas: [SQLiteWorkspace] {
    workspaces.enumerated().compactMap { model.isClosing[$0.offset] ? nil : $0.element }
  }

  /// Ends the network's faults.
  func calm() {
    for case let faults? in faults {
      faults.calm()
      faults.isCutOff = false
    }
  }

  func workspace(_ number: Int) -> SQLiteWorkspace {
    guard let workspace = workspaces[number] else { simulation.fail("Workspace \(number) is not open.") }
    return workspace
  }
  func workspaceIfAny(_ number: Int) -> SQLiteWorkspace? { workspaces.isEmpty ? nil : workspaces[number] }
  func types(_ lanes: [Int]) -> [Any.Type] { lanes.map { Self.lanes[$0] } }

  /// Checks that every cache and every observer shows the newest commit when all had time to follow (A9).
  private func settle() {
    // A stall could take the whole second before the work of that second has begun.
    simulation.endStalls()
    simulation.sleep(nanoseconds: 1_000_000_000)
    // A thread that the schedule starves may not have begun this second's work yet.
    for _ in 0..<10_000 where !simulation.isQuiet { simulation.sleep(nanoseconds: 1_000_000) }
    guard !hasFaults else { return }
    if isReplicated { settleReplicas() }
    for (index, workspace) in workspaces.enumerated() where !model.isClosing[index] {
      guard let workspace else { continue }
      settleOwned(workspace)
      settleSet(workspace, index)
      settleObjects(workspace, index)
      for counter in 0..<Program.counters {
        let value = Counter.read(counter, of: workspace)
        check(
          isReplicated ? value.map { allows($0, in: counter) } == true : value == model.successes[counter],
          "A9: Counter \(counter) of workspace \(index) reads \(value ?? -1) after everything has settled, "
            + "not \(model.successes[counter])."
        )
        for case let watch as CounterWatch in watches
        where watch.workspace == index && watch.counter == counter && watch.isActive {
          check(
            watch.last ?? 0 == value,
            "A4: An observer of counter \(counter) of workspace \(index) last received \(watch.last ?? 0), "
              + "not \(value ?? -1)."
          )
        }
      }
      // Indexes of objects are filled by commits that no thread requested.
      check(
        program.usesObjects || workspace.commitNumber <= model.changes,
        "There are \(workspace.commitNumber) commits, but only \(model.changes) changes were requested.")
    }
  }

  /// Checks that plain writes are committed soon, even if no thread waits for them.
  private func settleOwned(_ workspace: SQLiteWorkspace) {
    if model.isClosing.contains(true) { return }
    workspace.fetchWithinASnapshot {
      for (key, value) in owned.sorted(by: { $0.key < $1.key }) where value != .uncertain {
        let found = workspace.dictionary[key, String.self].map { Owned.value($0) } ?? .absent
        check(
          found == value || hasDroppedWrites(),
          "A7: Key '\(key)' was set to \(value), but \(found) is committed a second later.")
      }
    }
  }

  /// Checks that the file holds every acknowledged change, and none that was undone.
  func checkFile(_ workspace: SQLiteWorkspace) {
    for counter in 0..<Program.counters {
      let value = Counter.read(counter, of: workspace) ?? 0
      check(
        allows(value, in: counter),
        "A1/A3: The file holds \(value) in counter \(counter); \(model.successes[counter]) increments succeeded, and of "
          + "\(model.unknown[counter]) the outcome is unknown.")
    }
    for (index, seen) in model.seen.enumerated() {
      for counter in 0..<Program.counters {
        let value = Counter.read(counter, of: workspace) ?? 0
        check(
          seen[counter] <= value,
          "A2: Workspace \(index) showed \(seen[counter]) in counter \(counter), but the file holds \(value).")
      }
    }
    checkSet(workspace)
    checkObjects(workspace)
    let first = workspace.dictionary["pair.a", Int.self] ?? 0, second = workspace.dictionary["pair.d", Int.self] ?? 0
    check(first == second, "A1: The file holds half of a transaction: \(first) and \(second).")
    for (key, value) in owned.sorted(by: { $0.key < $1.key }) where value != .uncertain {
      let found = workspace.dictionary[key, String.self].map { Owned.value($0) } ?? .absent
      check(
        found == value || hasDroppedWrites(), "A7: The file holds \(found) under '\(key)', which was set to \(value).")
    }
    for key in Refused.keys {
      check(!workspace.dictionary.contains(key), "A1: The file holds '\(key)' of a refused transaction.")
    }
    if simulation.random.oneIn(8) {
      let problems = (try? workspace.checkIntegrity()) ?? ["It can't be read."]
      check(problems.isEmpty, "The file is damaged: \(problems).")
    }
    workspace.shutdown()
  }

  /// The value of a key that one thread owns.
  enum Owned: Equatable, CustomStringConvertible {
    case absent, value(String), uncertain

    var description: String {
      switch self {
      case .absent: "nothing"
      case .value(let text): String(text.prefix(12))
      case .uncertain: "unknown"
      }
    }
  }
  var owned: [String: Owned] = [:]
}
