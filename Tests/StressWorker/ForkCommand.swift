import CFaultVFS
import DflatKV
import Foundation
import Synchronization

/// `fork PATH`: opens the file, forks, and lets the child try every entry point. The child prints the calls that did
/// not fail with `.forked`. The parent prints `child STATUS`, continues to work, and prints `parent COMMIT`.
enum ForkCommand: Command {
  static let name = "fork"

  static func run(_ arguments: Arguments) throws {
    var options = SQLiteWorkspace.Options()
    options.errorHandler = { error in
      if error.code != .forked { say("error \(error)") }
    }
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path, options: options)
    let dictionary = workspace.dictionary
    dictionary["before"] = 1
    try dictionary.synchronize()
    let subscription = dictionary.subscribe("after", of: Int.self) { say("\($0)") }
    let child = testsupport_fork()
    if child == 0 { ForkedChild(workspace: workspace, path: try arguments.path).leave() }
    say("child \(testsupport_wait(child))")
    dictionary["after"] = 2
    try dictionary.synchronize()
    try workspace.transactAndWait { $0.dictionary["after"] = 3 }
    say("parent \(workspace.commitNumber)")
    subscription.cancel()
    workspace.shutdown()
  }
}

/// The forked child, in which only the forking thread runs.
private struct ForkedChild {
  let workspace: SQLiteWorkspace
  let path: String

  /// Tries everything, and ends the process.
  func leave() -> Never {
    // A call that hangs is a failure too. The process that started this one may have blocked the signal.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGALRM)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    alarm(30)
    refuseThrowing()
    refuseInMemory()
    refuseQuietly()
    refuseShutdown()
    testsupport_exit_child(0)
    fatalError("_exit returned")
  }

  private func refuseThrowing() {
    let dictionary = workspace.dictionary
    refuse("value") { try dictionary.value(forKey: "before", as: Int.self) }
    refuse("storedValue") { try dictionary.storedValue(forKey: "before") }
    refuse("commitNumber") { try dictionary.commitNumber(forKey: "before") }
    refuse("entries") { try dictionary.entries() }
    refuse("namespaces") { try dictionary.namespaces() }
    refuse("update") { try dictionary.update("before", default: 0) { $0 += 1 } }
    refuse("compareAndSet") { try dictionary.compareAndSet("before", expected: 1, new: 2) }
    refuse("transactAndWait") { try workspace.transactAndWait { _ in say("child ran a transaction") } }
    refuse("checkIntegrity") { try workspace.checkIntegrity() }
    refuse("compact") { try workspace.compact() }
    refuse("fileStatistics") { try workspace.fileStatistics() }
    refuse("backup") { try workspace.backup(to: path + ".copy") }
    refuse("another workspace on the file") { try SQLiteWorkspace.open(filePath: path) }
    refuse("synchronize") { try dictionary.synchronize() }
    refuse("snapshot") { try workspace.fetchWithinASnapshot { try dictionary.value(forKey: "before", as: Int.self) } }
  }

  /// The call is refused before it creates a folder, which would never be removed.
  private func refuseInMemory() {
    do {
      _ = try SQLiteWorkspace.inMemory()
      say("child: inMemory did not throw")
    } catch let error as WorkspaceError where error.code == .forked {
      let folder = URL(fileURLWithPath: error.path ?? "").deletingLastPathComponent().lastPathComponent
      check("inMemory", !folder.hasPrefix("dflatkv-"))
    } catch { say("child: inMemory threw \(error)") }
  }

  private func refuseQuietly() {
    let dictionary = workspace.dictionary
    check("subscript", dictionary["before", Int.self] == nil)
    check("contains", !dictionary.contains("before"))
    check("keys", dictionary.keys.isEmpty)
    dictionary["before"] = 7
    dictionary.removeAll()
    refuse("synchronize after writes") { try dictionary.synchronize() }
    let outcome = Mutex<Bool?>(nil)
    workspace.performChanges([]) { _ in
      say("child ran a transaction")
    } completionHandler: { succeeded in
      outcome.withLock { $0 = succeeded }
    }
    check("performChanges", outcome.withLock { $0 } == false)
    let key = dictionary.subscribe("before", of: Int.self) { say("child was told \($0)") }
    let prefix = dictionary.subscribe(withPrefix: "") { say("child was told \($0)") }
    key.cancel()
    prefix.cancel()
  }

  private func refuseShutdown() {
    workspace.shutdown()
    let completed = Mutex(false)
    workspace.shutdown(flags: .truncate) { completed.withLock { $0 = true } }
    check("shutdown", completed.withLock { $0 })
  }

  private func refuse<T>(_ entry: String, _ body: () throws -> T) {
    do {
      _ = try body()
      say("child: \(entry) did not throw")
    } catch let error as WorkspaceError where error.code == .forked {
    } catch { say("child: \(entry) threw \(error)") }
  }

  private func check(_ entry: String, _ isRefused: Bool) {
    if !isRefused { say("child: \(entry) answered") }
  }
}
