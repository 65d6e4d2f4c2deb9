import ArgumentParser
import DflatKV

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "Print the keys, sorted by their bytes.",
    discussion: """
      A key that contains a newline or another control character is printed in double quotes, as in JSON.

      Example:
        kvtool keys --prefix user. --long
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("Only the keys that begin with this.", valueName: "prefix"))
  var prefix: TextArgument?

  @Option(help: ArgumentHelp("At most this many keys.", valueName: "count"))
  var limit: CountArgument?

  @Flag(help: "Print each key's type, size in bytes and commit number before it.")
  var long = false

  func run() throws {
    guard let dictionary = try options.openForReading()?.dictionary else {
      return
    }
    let entries = try dictionary.entries(withPrefix: prefix?.text ?? "", limit: limit?.count)
    let lines = long ? Self.table(entries) : entries.map(\.key.asLine)
    try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  private static func table(_ entries: [DictionaryEntry]) -> [String] {
    let rows = entries.map { entry in
      [entry.value.kind.rawValue, String(entry.value.byteCount), String(entry.commitNumber ?? 0), entry.key.asLine]
    }
    return TextTable.lines(rows, alignments: [.left, .right, .right, .none])
  }
}
