import DflatKV
import TestSupport

/// `stale PATH`: writes values that its cache takes for the file's, while another process has changed them in the file.
/// Prints `stopped` when that process is to do so, and at the end the values in its cache.
enum StaleCommand: Command {
  static let name = "stale"

  private struct Setting: Codable, Equatable, Sendable { var mode: String }

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let dictionary = workspace.dictionary
    func write() throws {
      dictionary["native"] = 1
      dictionary["codable"] = Setting(mode: "mine")
    }
    try write()
    try dictionary.synchronize()
    // Between its COMMIT and its publication, a transaction keeps this process from following others.
    let stopped = Gate("stopped")
    let goesOn = Gate("goes on")
    arm("committedBeforePublish") {
      if stopped.opened { return }
      stopped.open()
      try? goesOn.wait()
    }
    let transaction = BackgroundThread { try workspace.transactAndWait { $0.dictionary["another"] = 1 } }
    try stopped.wait()
    waitForCue(after: "stopped")
    try write()
    goesOn.open()
    try transaction.join()
    try dictionary.synchronize()
    say("\(dictionary["native", default: 0]) \(dictionary["codable", Setting.self]?.mode ?? "-")")
    workspace.shutdown()
  }
}
