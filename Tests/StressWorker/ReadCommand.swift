import DflatKV

/// `read PATH`: opens the file, reads its keys cold and in snapshots, closes it, and does so again until the key `end` is
/// there. In each snapshot the keys that one transaction writes have to agree.
enum ReadCommand: Command {
  static let name = "read"

  static func run(_ arguments: Arguments) throws {
    say("ready")
    var isOver = false
    while !isOver {
      var options = SQLiteWorkspace.Options()
      options.cacheLimit = .entries(16)
      let workspace = try SQLiteWorkspace.open(filePath: arguments.path, options: options)
      let dictionary = workspace.dictionary
      for round in 0..<20 {
        for index in 0..<64 { _ = dictionary["load.\(round & 1).\(index)", String.self] }
        workspace.fetchWithinASnapshot { check(dictionary, thread: round & 1) }
      }
      isOver = dictionary.contains("end")
      workspace.shutdown()
    }
    say("finished")
  }

  private static func check(_ dictionary: WorkspaceDictionary, thread: Int) {
    guard let last = dictionary["last.\(thread)", Int.self] else { return }
    for index in 0..<4 {
      let value: String? = dictionary["load.\(thread).\((last * 4 + index) % 64)"]
      if value?.hasPrefix("\(last)/") != true { say("torn: transaction \(last) is not whole in a snapshot") }
    }
  }
}
