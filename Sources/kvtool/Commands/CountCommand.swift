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
    var count = 0
    try options.openForReading().dictionary.forEachCommittedEntry(withPrefix: prefix?.text ?? "") { _ in
      count += 1
      return true
    }
    try StandardOutput.write(line: String(count))
  }

  func step() -> TransactionStep {
    .keys(options.namespaceName) { .line(String(try $0.entries(withPrefix: prefix?.text ?? "").count)) }
  }
}
