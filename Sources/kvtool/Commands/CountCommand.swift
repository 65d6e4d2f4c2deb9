import ArgumentParser
import DflatKV

struct CountCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Print the number of keys in the namespace.",
    discussion: """
      Example:
        kvtool count --namespace cache
        kvtool count --prefix user.
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("Only the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  func run() throws {
    try outcome(in: try options.openForReading().dictionary).report()
  }

  func step() -> TransactionStep {
    .keys(options.namespaceName) { try outcome(in: $0) }
  }

  private func outcome(in dictionary: WorkspaceDictionary) throws -> TransactionStep.Outcome {
    .line(String(try dictionary.entries(withPrefix: prefix?.text ?? "").count))
  }
}
