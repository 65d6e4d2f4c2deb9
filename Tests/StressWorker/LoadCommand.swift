import DflatKV
import Foundation
import TestSupport

/// `load PATH TRANSACTIONS NAME …`: writes without a pause, from a thread for each name, transactions of four keys of 4
/// KiB each. The values begin with the transaction's number. Prints `finished`.
enum LoadCommand: Command {
  static let name = "load"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let count = try arguments.number(1)
    waitForCue(after: "ready")
    let threads = arguments.rest(from: 2).map { name in
      BackgroundThread("load \(name)") {
        for number in 1...count {
          let value = String(repeating: "\(number)/", count: 4_096 / "\(number)/".utf8.count)
          try workspace.transactAndWait { transaction in
            for index in 0..<4 { transaction.dictionary["load.\(name).\((number * 4 + index) % 64)"] = value }
            transaction.dictionary["last.\(name)"] = number
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    say("finished")
    workspace.shutdown()
  }
}
