import ArgumentParser
import DflatKV

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove keys, in one transaction.",
    discussion: """
      When a named key is absent, nothing is removed and the exit status is 2; --force removes the others. With --prefix \
      or --all, the number of removed keys is printed. 'kvtool del' is the same command.

      Example:
        kvtool delete volume balance
        kvtool delete --prefix cache.
      """,
    aliases: ["del"])

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The keys.")
  var key: [TextArgument] = []

  @Option(help: ArgumentHelp("Remove the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  @Flag(help: "Remove all keys of the namespace.")
  var all = false

  @Flag(help: "Ignore absent keys.")
  var force = false

  func validate() throws {
    guard [!key.isEmpty, prefix != nil, all].count(where: { $0 }) == 1 else {
      throw ValidationError("name keys, or give --prefix, or --all")
    }
  }

  func run() throws {
    let keys = key.map(\.text)
    let database = try options.openForUpdating()
    let count = try database.transact { dictionary -> Int? in
      if let prefix = all ? "" : prefix?.text {
        // The keys alone: values can be large, or of a type that only a newer version reads.
        let count = dictionary.keys(withPrefix: prefix).count
        dictionary.removeAll(withPrefix: prefix)
        return count
      }
      try report(absent: keys.filter { try dictionary.storedValue(forKey: $0) == nil })
      for key in keys {
        dictionary.removeValue(forKey: key)
      }
      return nil
    }
    database.workspace.shutdown()
    if let count {
      try StandardOutput.write(line: String(count))
    }
  }

  private func report(absent: [String]) throws {
    guard absent.isEmpty || force else {
      let hint = key.count > absent.count ? ", so nothing was removed: --force removes the others" : ""
      throw ToolError.keysAbsent(absent, in: options.namespaceName, hint: hint)
    }
  }
}
