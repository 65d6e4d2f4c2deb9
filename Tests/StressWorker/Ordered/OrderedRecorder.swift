import Foundation
import HistoryChecker
import Synchronization

/// Appends lines to a log (`OrderedLog`), each by one write, so that the log of a killed process is complete.
final class OrderedRecorder: Sendable {
  private let file: Int32
  private let nextID = Atomic(0)

  /// Thrown if the log can't be written.
  struct NoLog: Error { let path: String }

  init(path: String) throws {
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw NoLog(path: path) }
  }

  deinit { close(file) }

  private static var now: UInt64 { HistoryRecorder.now }

  /// Records a call that is about to be made, and returns its number.
  func call(thread: Int, _ kind: OrderedHistory.Kind, lanes: UInt32 = 0) -> Int {
    let id = nextID.add(1, ordering: .relaxed).oldValue
    let letter =
      switch kind {
      case .transaction: "t"
      case .snapshot: "s"
      case .plain: "p"
      }
    write("I \(id) \(thread) \(letter) \(lanes) \(Self.now)\n")
    return id
  }

  func noteQueued(_ id: Int) { write("Q \(id) \(Self.now)\n") }

  /// Records that the transaction holds the write lock at this instant, and whether it is to be undone.
  func noteTurn(_ id: Int, _ operations: [OrderedHistory.Operation], isToCommit: Bool = true) {
    write("\(isToCommit ? "T" : "A") \(id) \(Self.now)\(Self.text(of: operations))\n")
  }

  /// Records the operations that a swap is about to perform.
  func noteSwap(_ id: Int, _ operations: [OrderedHistory.Operation]) {
    write("S \(id)\(Self.text(of: operations))\n")
  }

  /// Records the end of a call, with its reads if the call had no turn.
  func end(_ id: Int, _ outcome: OrderedHistory.Outcome, _ operations: [OrderedHistory.Operation] = []) {
    let letter =
      switch outcome {
      case .committed: "c"
      case .aborted: "a"
      case .unknown: "u"
      }
    write("C \(id) \(Self.now) \(letter)\(Self.text(of: operations))\n")
  }

  func noteWrite(_ chain: Int, _ number: Int) { write("W \(chain) \(number) \(Self.now)\n") }
  func noteReturn(_ chain: Int, _ number: Int) { write("R \(chain) \(number) \(Self.now)\n") }
  func noteSynchronized(_ chain: Int, _ number: Int) { write("Y \(chain) \(number) \(Self.now)\n") }

  func observe(_ observer: Int, key: Int, value: Int, isInitial: Bool) {
    write("K \(observer) \(Self.now) \(isInitial ? "i" : "u")\(key):\(value)\n")
  }

  func observe(_ observer: Int, _ selection: OrderedHistory.Selection, _ found: [OrderedHistory.Found]) {
    let time = Self.now
    write("L \(observer) \(time) \(OrderedLog.text(of: .find(selection, found)))\n")
  }

  func noteDrained() { write("Z\n") }

  private static func text(of operations: [OrderedHistory.Operation]) -> String {
    operations.map { " " + OrderedLog.text(of: $0) }.joined()
  }

  private func write(_ line: String) {
    var line = line
    let written = line.withUTF8 { Foundation.write(file, $0.baseAddress, $0.count) }
    precondition(written == line.utf8.count, "The history's log can't be written: \(errno).")
  }
}
