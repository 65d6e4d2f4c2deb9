import ArgumentParser
import DflatKV

struct DeleteCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove keys, or objects of a type, in one transaction.",
    discussion: """
      When a named key is absent, nothing is removed and the exit status is 2; --force removes the others. With --prefix \
      or --all, the number of removed keys is printed. 'kvtool del' is the same command. --from removes objects of a type \
      that 'kvtool tables' lists, those that --where selects ('kvtool query' explains it) or --all, and prints their number.

      Example:
        kvtool delete volume balance
        kvtool delete --prefix cache.
        kvtool delete --from Post --where 'stars < 0'
      """,
    aliases: ["del"])

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The keys.")
  var key: [TextArgument] = []

  @Option(help: ArgumentHelp("Remove the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  @Flag(help: "Remove all keys of the namespace, or all objects of the type.")
  var all = false

  @Option(name: .customLong("from"), help: ArgumentHelp("Remove objects of this type.", valueName: "type"))
  var type: TextArgument?

  @OptionGroup var condition: ConditionOptions

  @Flag(help: "Ignore absent keys.")
  var force = false

  func validate() throws {
    if type != nil {
      guard key.isEmpty, prefix == nil, !force else {
        throw ValidationError("--from is about objects: leave out keys, --prefix and --force")
      }
      guard (condition.predicate != nil) != all else {
        throw ValidationError("--from takes either --where, or --all for every object")
      }
      return
    }
    guard condition.predicate == nil else {
      throw ValidationError("--where is about objects: name their type with --from")
    }
    guard prefix?.text.isEmpty != true else {
      throw ValidationError("an empty --prefix is that of every key: use --all")
    }
    guard [!key.isEmpty, prefix != nil, all].count(where: { $0 }) == 1 else {
      throw ValidationError("name keys, or give --prefix, or --all")
    }
  }

  func run() throws {
    let step = try step()
    try options.openForUpdating().run(step)
  }

  func step() throws -> TransactionStep {
    if let type {
      let syntax = try condition.parse()
      return .objects(type.text) { type, _, transaction in
        .line(String(try ObjectChanges(type, in: transaction).delete(syntax)))
      }
    }
    return .keys(options.namespaceName) { dictionary in
      if let prefix = all ? "" : prefix?.text {
        // The keys alone: values can be large, or of a type that only a newer version reads.
        let count = try dictionary.readKeys(withPrefix: prefix).count
        dictionary.removeAll(withPrefix: prefix)
        return .line(String(count))
      }
      let keys = key.map(\.text)
      // A damaged value is deleted, too, and one of a type that only a newer version reads.
      try report(absent: keys.filter { try !dictionary.hasKey($0) }, in: dictionary.namespaceName)
      for key in keys {
        dictionary.removeValue(forKey: key)
      }
      return TransactionStep.Outcome()
    }
  }

  private func report(absent: [String], in namespace: String) throws {
    guard absent.isEmpty || force else {
      let hint = key.count > absent.count ? ", so nothing was removed: --force removes the others" : ""
      throw ToolError.keysAbsent(absent, in: namespace, hint: hint)
    }
  }
}
