import DflatKV

/// `count PATH TIMES`: increments `counter` by one, TIMES times.
enum CountCommand: Command {
  static let name = "count"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    waitForCue(after: "ready")
    for _ in 0..<(try arguments.number(1)) { try workspace.dictionary.update("counter", default: 0) { $0 += 1 } }
    say("finished")
    workspace.shutdown()
  }
}
