import ArgumentParser
import DflatKV

struct KeysCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Print the keys, sorted by their bytes.",
    discussion: """
      A key that contains a newline or another control character is printed in double quotes, as in JSON. On a terminal, \
      so is a key with spaces, quotes or characters that don't show. With --format json, the keys are an array; with \
      --long, an array of objects. 'kvtool ls' is the same command.

      Example:
        kvtool keys --prefix user. --long
        kvtool keys --format json
      """,
    aliases: ["ls"])

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("Only the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  @Option(help: ArgumentHelp("At most this many keys.", valueName: "count"))
  var limit: CountArgument?

  @Flag(help: "Print each key's type, size in bytes and commit number before it.")
  var long = false

  @Option(help: "The format: text or json.")
  var format = ListFormat.text

  func run() throws {
    try outcome(in: try options.openForReading().dictionary).report()
  }

  func step() -> TransactionStep {
    .keys(options.namespaceName) { try outcome(in: $0) }
  }

  private func outcome(in dictionary: WorkspaceDictionary) throws -> TransactionStep.Outcome {
    let entries = try dictionary.entries(withPrefix: prefix?.text ?? "", limit: limit?.count)
    return switch format {
    case .json: .line(StandardOutput.text(.array(entries.map(json(_:)))))
    case .text: .lines(long ? table(entries) : entries.map(name(of:)))
    }
  }

  private func name(of entry: DictionaryEntry) -> String {
    entry.key.asName(isTerminal: StandardOutput.isTerminal)
  }

  private func table(_ entries: [DictionaryEntry]) -> [String] {
    let rows = entries.map { entry in
      [entry.value.kind.rawValue, String(entry.value.byteCount), String(entry.commitNumber ?? 0), name(of: entry)]
    }
    return TextTable.lines(rows, alignments: [.left, .right, .right, .none])
  }

  private func json(_ entry: DictionaryEntry) -> JSONValue {
    guard long else {
      return .string(entry.key)
    }
    var members = [
      JSONObject.Member(name: "key", value: .string(entry.key)),
      JSONObject.Member(name: "type", value: .string(entry.value.kind.rawValue)),
      JSONObject.Member(name: "bytes", value: JSONValue(entry.value.byteCount)),
      JSONObject.Member(name: "commit", value: JSONValue(entry.commitNumber ?? 0)),
    ]
    if let date = entry.expirationDate { members.append(JSONObject.Member(name: "expires", value: JSONValue(date))) }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? .null
  }
}
