import CFaultVFS
import DflatKV
import Foundation

/// `fork-inside PATH`: forks in a transaction's closure, which continues in the child, too. Both processes print their
/// outcome.
enum ForkInsideCommand: Command {
  static let name = "fork-inside"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    var child: Int32 = -1
    do {
      try workspace.transactAndWait { txn in
        txn.dictionary["before"] = 1
        child = testsupport_fork()
        if child == 0 { alarm(20) }
        txn.dictionary[child == 0 ? "child" : "parent"] = 1
        // The child ends before its parent continues.
        if child != 0 { say("child \(testsupport_wait(child))") }
      }
      say("committed")
    } catch let error as WorkspaceError where error.code == .forked { say("forked") }
    if child == 0 { testsupport_exit_child(0) }
    workspace.shutdown()
  }
}
