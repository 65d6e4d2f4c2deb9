import ArgumentParser
import DflatKV

struct ExistsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exists",
    abstract: "Check whether a key exists: the exit status is 0 or 2, and 1 without a file.",
    discussion: """
      Example:
        kvtool exists volume && echo there
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The key.")
  var key: TextArgument

  func run() throws {
    guard try options.openForReading().dictionary.hasKey(key.text) else {
      throw ExitCode(ToolExitStatus.keyAbsent.rawValue)
    }
  }
}
