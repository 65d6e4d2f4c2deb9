import ArgumentParser
import DflatKV

struct NamespacesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "namespaces",
    abstract: "Print the names of the namespaces that contain keys.",
    discussion: """
      The root namespace is printed as an empty line, or as "" on a terminal.

      Example:
        kvtool namespaces
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    for name in try options.openForReading().workspace.dictionary.namespaces() {
      try StandardOutput.write(line: name.asName(isTerminal: StandardOutput.isTerminal))
    }
  }
}
