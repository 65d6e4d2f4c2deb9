import DflatKV

/// `read PATH NAME …`: opens the file, reads the keys that `load` writes under the names, cold and in snapshots, closes
/// the file, and repeats this until the key `end` exists. In each snapshot, the keys of one transaction have to agree.
enum ReadCommand: Command {
  static let name = "read"

  static func run(_ arguments: Arguments) throws {
    let names = arguments.rest(from: 1)
    say("ready")
    var isOver = false
    while !isOver {
      var options = SQLiteWorkspace.Options()
      options.cacheLimit = .entries(16)
      let workspace = try SQLiteWorkspace.open(filePath: arguments.path, options: options)
      let dictionary = workspace.dictionary
      for _ in 0..<10 {
        for name in names {
          for index in 0..<64 { _ = dictionary["load.\(name).\(index)", String.self] }
          workspace.fetchWithinASnapshot { check(dictionary, name) }
        }
      }
      isOver = dictionary.contains("end")
      workspace.shutdown()
    }
    say("finished")
  }

  private static func check(_ dictionary: WorkspaceDictionary, _ name: String) {
    guard let last = dictionary["last.\(name)", Int.self] else { return }
    for index in 0..<4 {
      let value: String? = dictionary["load.\(name).\((last * 4 + index) % 64)"]
      if value?.hasPrefix("\(last)/") != true { say("torn: transaction \(last) is not whole in a snapshot") }
    }
  }
}
