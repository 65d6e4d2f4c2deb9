import DflatKV
import Foundation
import Synchronization
import TestSupport

/// `threads PATH TRANSACTIONS LANES`: runs that many transactions over that many lanes, and as many flushes, all at
/// once. Prints the largest number of threads that the process had, excluding the two of this program and the
/// cooperative ones.
enum ThreadsCommand: Command {
  static let name = "threads"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let count = try arguments.number(1)
    let lanes = ManyTypes.make(try arguments.number(2))
    let left = Atomic(2 * count)
    let done = Gate("the end of all")
    let peak = Atomic(0)
    let isOver = Atomic(false)
    let end: @Sendable (Bool) -> Void = { succeeded in
      if !succeeded { say("failed") }
      if left.subtract(1, ordering: .relaxed).newValue == 0 { done.open() }
    }
    Thread.detachNewThread {
      while !isOver.load(ordering: .relaxed) {
        let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        peak.max(threads ?? .max, ordering: .relaxed)
        usleep(500)
      }
    }
    for index in 0..<count {
      workspace.performChanges([lanes[index % lanes.count]]) { txn in
        txn.dictionary["sum", default: 0] += 1
      } completionHandler: {
        end($0)
      }
      Task {
        workspace.dictionary["key\(index % 100)"] = index
        end((try? await workspace.dictionary.flush()) != nil)
      }
    }
    try done.wait()
    isOver.store(true, ordering: .relaxed)
    say("sum \(workspace.dictionary["sum", default: 0])")
    say("peak \(peak.load(ordering: .relaxed) - 2 - ProcessInfo.processInfo.activeProcessorCount)")
    workspace.shutdown()
  }
}
