import DflatKV

/// `hold PATH`: holds the file's write lock, in a transaction that has set `held`, until a line of input ends it.
enum HoldCommand: Command {
  static let name = "hold"

  static func run(_ arguments: Arguments) throws {
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    try workspace.transactAndWait { transaction in
      transaction.dictionary["held"] = 1
      waitForCue(after: "held")
    }
    say("finished")
    workspace.shutdown()
  }
}
