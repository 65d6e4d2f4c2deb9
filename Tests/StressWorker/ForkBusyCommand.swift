import CFaultVFS
import DflatKV
import Foundation
import GoldenModels
import Synchronization

/// `fork-busy FOLDER COUNT`: forks while threads use a workspace in every way. Each child tries calls that take its
/// parent's locks, and files of its own. Prints the status of each child that wasn't refused everywhere, and the number
/// of those that were.
enum ForkBusyCommand: Command {
  static let name = "fork-busy"

  static func run(_ arguments: Arguments) throws {
    let folder = try arguments.path
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    // Swift's runtime takes locks of its own when it first meets a type, and a forked child can't release those of
    // other threads. So meet all types before anything is forked.
    let other = try SQLiteWorkspace.open(filePath: folder + "/other.db", options: options)
    use(other, 0)
    BusyChild(workspace: other, kept: other.dictionary.namespace("kept"), path: folder + "/met.db").meetTypes()
    other.shutdown()
    let workspace = try SQLiteWorkspace.open(filePath: folder + "/parent.db", options: options)
    let kept = workspace.dictionary.namespace("kept")
    let isOver = Atomic(false)
    let users = DispatchGroup()
    // A subscription that the parent's threads and the children cancel.
    let shared = workspace.dictionary.subscribe("shared") { _ in }
    users.enter()
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) { shared.cancel() }
      users.leave()
    }
    for number in 0..<3 {
      users.enter()
      Thread.detachNewThread {
        while !isOver.load(ordering: .relaxed) { use(workspace, number) }
        users.leave()
      }
    }
    var refused = 0
    for index in 0..<(try arguments.number(1)) {
      let subscription = workspace.dictionary.subscribe("key\(index % 10)") { _ in }
      let child = testsupport_fork()
      if child == 0 {
        BusyChild(workspace: workspace, kept: kept, path: folder + "/child\(index).db").leave([subscription, shared])
      }
      let status = testsupport_wait(child)
      if status == 0 { refused += 1 } else { say("child \(index) ended with \(status)") }
      subscription.cancel()
    }
    isOver.store(true, ordering: .relaxed)
    users.wait()
    workspace.shutdown()
    say("children \(refused)")
  }

  private static func use(_ workspace: SQLiteWorkspace, _ number: Int) {
    let dictionary = workspace.dictionary.namespace("\(number)")
    for key in 0..<10 { dictionary["key\(key)"] = number }
    workspace.dictionary.subscribe("key1") { _ in }.cancel()
    workspace.performChanges([]) { $0.dictionary["key\(number)"] = number }
    if let memory = try? SQLiteWorkspace.inMemory() { memory.shutdown() }
  }
}

private struct BusyChild {
  let workspace: SQLiteWorkspace
  let kept: WorkspaceDictionary
  let path: String

  func leave(_ subscriptions: [WorkspaceSubscription]) -> Never {
    // Ends a child that hangs.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    alarm(20)
    let isRefused = isRefusedAFile && isRefusedTheParents
    for subscription in subscriptions { subscription.cancel() }
    workspace.shutdown()
    testsupport_exit_child(isRefused ? 0 : 1)
    fatalError("_exit returned")
  }

  /// Makes all calls in a process that isn't refused them.
  func meetTypes() { _ = [isRefusedAFile, isRefusedTheParents] }

  private var isRefusedAFile: Bool {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    let lazy = SQLiteWorkspace(filePath: path, options: options)
    lazy.dictionary["key"] = 1
    lazy.shutdown()
    let refusals = [
      isForked { _ = try SQLiteWorkspace.open(filePath: path) }, isForked { _ = try SQLiteWorkspace.inMemory() },
      isForked { try lazy.transactAndWait { $0.dictionary["key"] = 1 } }, access(path, F_OK) != 0,
    ]
    return refusals.allSatisfy { $0 }
  }

  private var isRefusedTheParents: Bool {
    let made = workspace.dictionary.namespace("made")
    made["key"] = 1
    made.removeAll()
    // The first use of entities must not wait for a lock that a thread of the parent held.
    workspace.subscribe(object: Post(title: "made")) { _ in }.cancel()
    _ = kept.namespaceName
    let refusals = [
      kept["key", Int.self] == nil, isForked { _ = try kept.value(forKey: "key1", as: Int.self) },
      isForked { try made.synchronize() }, isForked { _ = try made.update("key", default: 0) { $0 += 1 } },
    ]
    return refusals.allSatisfy { $0 }
  }

  private func isForked(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { return (error as? WorkspaceError)?.code == .forked }
    return false
  }
}
