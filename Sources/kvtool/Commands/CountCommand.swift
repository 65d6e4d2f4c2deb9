import ArgumentParser
import DflatKV

struct CountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "count",
    abstract: "Print the number of keys in the namespace.",
    discussion: """
      Example:
        kvtool count --namespace cache
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    try StandardOutput.write(line: String(try options.openForReading().dictionary.entries().count))
  }
}
