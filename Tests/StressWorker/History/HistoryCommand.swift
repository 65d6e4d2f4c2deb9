import DflatKV
import Foundation
import HistoryChecker

/// `history PATH LOG THREADS`: runs random transactions, page by page, and logs what they do.
///
/// Each line `PAGE FIRST_VALUE COUNT SEED OWNER` of its input asks for COUNT transactions over the keys of a page, which write
/// values from FIRST_VALUE on; `done` is the answer when all of them have ended. OWNER tells this process's plain keys from the
/// other processes'.
enum HistoryCommand: Command {
  static let name = "history"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let recorder = try HistoryRecorder(path: arguments.text(1))
    let threads = try arguments.number(2)
    say("ready")
    while let line = readLine() {
      let numbers = line.split(separator: " ").compactMap { UInt64($0) }
      guard numbers.count == 5 else { break }
      let page = HistoryPage(number: Int(numbers[0]))
      let count = Int(numbers[2]) / threads
      let observers = HistoryObservers(of: page, in: workspace, recorder)
      let group = DispatchGroup()
      for thread in 0..<threads {
        let client = HistoryClient(
          workspace, recorder, page: page, owner: Int(numbers[4]) * threads + thread,
          firstValue: Int(numbers[1]) + thread * count * HistoryClient.valuesPerTransaction,
          seed: numbers[3] &+ UInt64(thread))
        group.enter()
        Thread.detachNewThread {
          client.run(count)
          group.leave()
        }
      }
      group.wait()
      observers.cancel()
      say("done")
    }
    workspace.shutdown()
    say("bye")
  }
}
