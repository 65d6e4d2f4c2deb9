import DflatKV
import Foundation
import TestSupport

/// `load PATH TRANSACTIONS`: writes without a pause, from two threads, transactions of four keys of 4 KiB each; they hold
/// the transaction's number in their first bytes. Says `finished`.
enum LoadCommand: Command {
  static let name = "load"
  private static let threads = 2

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let count = try arguments.number(1)
    waitForCue(after: "ready")
    let threads = (0..<Self.threads).map { thread in
      BackgroundThread("load \(thread)") {
        for number in 1...count {
          let value = String(repeating: "\(number)/", count: 4_096 / "\(number)/".utf8.count)
          try workspace.transactAndWait { transaction in
            for index in 0..<4 { transaction.dictionary["load.\(thread).\((number * 4 + index) % 64)"] = value }
            transaction.dictionary["last.\(thread)"] = number
          }
        }
      }
    }
    for thread in threads { try thread.join() }
    say("finished")
    workspace.shutdown()
  }
}
