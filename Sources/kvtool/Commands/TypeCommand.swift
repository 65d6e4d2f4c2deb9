import ArgumentParser
import DflatKV

struct TypeCommand: ParsableCommand, TransactionCommand {
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
    try outcome(in: try options.openForReading().dictionary).report()
  }

  func step() -> TransactionStep {
    .keys(options.namespaceName) { try outcome(in: $0) }
  }

  private func outcome(in dictionary: WorkspaceDictionary) throws -> TransactionStep.Outcome {
    guard let value = try dictionary.storedValue(forKey: key.text) else {
      return TransactionStep.Outcome(failure: ToolError.keysAbsent([key.text], in: dictionary.namespaceName))
    }
    return .line(value.kind.rawValue)
  }
}
