import ArgumentParser
import DflatKV

struct RenameCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Move a value to another key, atomically.",
    discussion: """
      The exit status is 2 when OLD is absent, and 3 when NEW already exists and --force is not given. A sealed value is bound \
      to its key, so that its namespace's key is needed.

      Example:
        kvtool rename colour color
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The current key of the value.")
  var old: TextArgument

  @Argument(help: "The new key.")
  var new: TextArgument

  @Flag(help: "Replace the value of NEW.")
  var force = false

  func run() throws {
    try options.openForUpdating().run(step())
  }

  func step() -> TransactionStep {
    let (old, new) = (old.text, new.text)
    return .keys(options.namespaceName) { dictionary in
      guard let value = try dictionary.storedValue(forKey: old) else {
        throw ToolError.keysAbsent([old], in: dictionary.namespaceName)
      }
      if case .sealed = value { throw ValueFailure.sealed.toolError(key: old) }
      guard try force || dictionary.storedValue(forKey: new) == nil else {
        throw ToolError(.conditionNotMet, "key \(quoted(new)) already exists: --force replaces its value")
      }
      let date = try dictionary.expirationDate(forKey: old)
      dictionary.removeValue(forKey: old)
      dictionary.set(value, forKey: new, expiringAt: date)
      return TransactionStep.Outcome()
    }
  }
}
