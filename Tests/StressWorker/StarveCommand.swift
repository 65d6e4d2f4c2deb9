import DflatKV
import Dispatch
import Foundation
import TestSupport

/// `starve PATH`: blocks every thread that libdispatch has for queues, then uses the workspace in each way that ends on
/// a thread of its own.
enum StarveCommand: Command {
  static let name = "starve"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let blocked = DispatchSemaphore(value: 0)
    for number in 0..<300 {
      for qos in [DispatchQoS.default, .userInitiated] {
        DispatchQueue(label: "blocked \(number)", qos: qos).async { blocked.wait() }
      }
    }
    let log = EventLog<String>()
    let subscription = workspace.dictionary.subscribe("key", of: Int.self) { change in
      if case .updated(let value) = change { log.append("observed \(value)") }
    }
    workspace.performChanges([]) { txn in
      txn.dictionary["key"] = 1
    } completionHandler: {
      log.append("completed \($0)")
    }
    try log.wait(forCount: 2)
    try workspace.transactAndWait { $0.dictionary["key"] = 2 }
    // A plain write, for whose commit no call waits.
    workspace.dictionary["key"] = 3
    try log.wait(forCount: 4)
    workspace.performChanges([]) { $0.dictionary["key"] = 4 }
    workspace.shutdown { log.append("closed") }
    for event in try log.wait(forCount: 6) { say(event) }
    subscription.cancel()
  }
}
