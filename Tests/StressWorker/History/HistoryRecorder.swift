import Foundation
import HistoryChecker
import Synchronization

/// Appends lines to a log, each by one write, so that the log of a killed process is complete.
final class HistoryRecorder: Sendable {
  private let file: Int32
  private let nextID = Atomic(0)
  /// Number of closures that ran in vain, because another process had changed values that they had read.
  let conflicts = Atomic(0)

  /// Thrown if the log can't be written.
  struct NoLog: Error { let path: String }

  init(path: String) throws {
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw NoLog(path: path) }
  }

  deinit { close(file) }

  /// The clock that all processes share, in nanoseconds.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Records a call that is about to be made, and returns its number.
  func call(lanes: [Int] = [], writing operations: [History.Operation]) -> Int {
    let id = nextID.add(1, ordering: .relaxed).oldValue
    // Takes the time last: a time logged before the call must not be later than the call.
    write(HistoryLog.line(calling: id, invoked: Self.now, lanes: lanes, writing: operations))
    return id
  }

  func end(_ id: Int, queued: UInt64? = nil, _ outcome: History.Outcome, having operations: [History.Operation]) {
    let now = Self.now
    write(HistoryLog.line(ending: id, queued: queued, completed: now, outcome: outcome, having: operations))
  }

  func observe(_ observer: Int, _ state: History.Operation) {
    let now = Self.now
    write(HistoryLog.line(observer: observer, time: now, state: state))
  }

  private func write(_ line: String) {
    var line = line
    let written = line.withUTF8 { Foundation.write(file, $0.baseAddress, $0.count) }
    precondition(written == line.utf8.count, "The history's log can't be written: \(errno).")
  }
}
