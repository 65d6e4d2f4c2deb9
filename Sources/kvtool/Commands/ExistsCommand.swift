import ArgumentParser
import DflatKV

struct ExistsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exists",
    abstract: "Tell by the exit status whether a key is there: 0 or 2.",
    discussion: """
      Example:
        kvtool exists volume && echo there
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The key.")
  var key: TextArgument

  func run() throws {
    guard try options.openForReading()?.dictionary.storedValue(forKey: key.text) != nil else {
      throw ExitCode(ExitReason.keyAbsent.rawValue)
    }
  }
}
