import ArgumentParser
import DflatKV

struct TypeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "type",
    abstract: "Print the name of a value's stored type.",
    discussion: """
      It is \(StoredValue.Kind.allCases.map(\.rawValue).alternatives). The exit status is 2 when the key is \
      absent.

      Example:
        kvtool type volume
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The key.")
  var key: TextArgument

  func run() throws {
    guard let value = try options.openForReading().dictionary.storedValue(forKey: key.text) else {
      throw ToolError.keysAbsent([key.text], in: options.namespaceName)
    }
    try StandardOutput.write(line: value.kind.rawValue)
  }
}
