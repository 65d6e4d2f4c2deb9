import DflatKV

/// `hold PATH`: holds the file's write lock, in a transaction that set `held`, until it is told to go on.
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
