import Foundation
import HistoryChecker

/// `judge FOLDER`: judges the history that processes with `history` have logged in the folder's files `NUMBER.log`.
///
/// It prints `committed COUNT`, `aborted COUNT` and `unknown COUNT`, then each anomaly, with its lines indented but the
/// first, and `bye`.
enum JudgeCommand: Command {
  static let name = "judge"

  static func run(_ arguments: Arguments) throws {
    let folder = URL(fileURLWithPath: try arguments.path)
    var history = History()
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      guard file.pathExtension == "log", let number = Int(file.deletingPathExtension().lastPathComponent) else {
        continue
      }
      try history.add(log: Array(Data(contentsOf: file)), process: number)
    }
    for outcome in [History.Outcome.committed, .aborted, .unknown] {
      say("\(outcome) \(history.count(of: outcome))")
    }
    for anomaly in history.anomalies() { say("\(anomaly)".replacing("\n", with: "\n  ")) }
    say("bye")
  }
}
