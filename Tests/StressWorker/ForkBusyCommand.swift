import CFaultVFS
import DflatKV
import Foundation
import GoldenModels
import Synchronization

/// `fork-busy FOLDER COUNT`: forks while threads use a workspace in every way. Each child tries calls that take its parent's
/// locks, and files of its own. Prints the number of children that were refused everywhere.
enum ForkBusyCommand: Command {
  static let name = "fork-busy"

  static func run(_ arguments: Arguments) throws {
    let folder = try arguments.path
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    let workspace = try SQLiteWorkspace.open(filePath: folder + "/parent.db", options: options)
    let kept = workspace.dictionary.namespace("kept")
    let isOver = Atomic(false)
    let users = DispatchGroup()
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
        BusyChild(workspace: workspace, kept: kept, path: folder + "/child\(index).db").leave(subscription)
      }
      if testsupport_wait(child) == 0 { refused += 1 }
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

  func leave(_ subscription: WorkspaceSubscription) -> Never {
    // Ends a child that hangs.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    alarm(20)
    let isRefused = isRefusedAFile && isRefusedTheParents
    subscription.cancel()
    workspace.shutdown()
    testsupport_exit_child(isRefused ? 0 : 1)
    fatalError("_exit returned")
  }

  private var isRefusedAFile: Bool {
    var options = SQLiteWorkspace.Options()
    options.logger.logLevel = .critical
    let lazy = SQLiteWorkspace(filePath: path, options: options)
    lazy.dictionary["key"] = 1
    lazy.shutdown()
    return isForked { _ = try SQLiteWorkspace.open(filePath: path) } && isForked { _ = try SQLiteWorkspace.inMemory() }
      && isForked { try lazy.transactAndWait { $0.dictionary["key"] = 1 } } && access(path, F_OK) != 0
  }

  private var isRefusedTheParents: Bool {
    let made = workspace.dictionary.namespace("made")
    made["key"] = 1
    made.removeAll()
    // The first use of entities must not wait for a lock that a thread of the parent held.
    workspace.subscribe(object: Post(title: "made")) { _ in }.cancel()
    _ = kept.namespaceName
    return kept["key", Int.self] == nil && isForked { _ = try kept.value(forKey: "key1", as: Int.self) }
      && isForked { try made.synchronize() } && isForked { _ = try made.update("key", default: 0) { $0 += 1 } }
  }

  private func isForked(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { return (error as? WorkspaceError)?.code == .forked }
    return false
  }
}
