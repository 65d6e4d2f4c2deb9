import DflatKV

/// `write PATH NAME LAST plain|transactions|mixed KEY …`: increments the keys of its name by one with each commit, from
/// their current value to LAST, and prints each number when it is in the file.
///
/// A plain write sets `w.NAME`, a transaction `w.NAME`, `x.NAME` and `y.NAME`. At the end it prints the cached values
/// of each KEY.
enum WriteCommand: Command {
  static let name = "write"

  static func run(_ arguments: Arguments) throws {
    let name = try arguments.text(1)
    let last = try arguments.number(2)
    let style = try arguments.text(3)
    let workspace = try SQLiteWorkspace.open(filePath: arguments.path)
    let dictionary = workspace.dictionary
    let farewell = Farewell(workspace, keys: arguments.rest(from: 4))
    let first = dictionary["w." + name, default: 0] + 1
    waitForCue(after: "ready")
    for number in first...max(first, last) {
      if style == "plain" || (style == "mixed" && number.isMultiple(of: 2)) {
        dictionary["w." + name] = number
        try dictionary.synchronize()
      } else {
        try workspace.transactAndWait { transaction in
          for prefix in ["w.", "x.", "y."] { transaction.dictionary[prefix + name] = number }
        }
      }
      say("\(number)")
    }
    say("finished")
    farewell.wait()
    workspace.shutdown()
  }
}
