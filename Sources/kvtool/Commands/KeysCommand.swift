import ArgumentParser
import DflatKV

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    let dictionary = try options.openForReading().dictionary
    var keys: [ListedKey] = []
    if limit?.count != 0 {
      try dictionary.forEachCommittedEntry(withPrefix: prefix?.text ?? "") { entry in
        keys.append(ListedKey(entry))
        return limit.map { keys.count < $0.count } ?? true
      }
    }
    try outcome(of: keys).report()
  }

  func step() -> TransactionStep {
    .keys(options.namespaceName) { dictionary in
      outcome(of: try dictionary.entries(withPrefix: prefix?.text ?? "", limit: limit?.count).map(ListedKey.init))
    }
  }

  private func outcome(of keys: [ListedKey]) -> TransactionStep.Outcome {
    switch format {
    case .json: .line(StandardOutput.text(.array(keys.map(json(_:)))))
    case .text: .lines(long ? table(keys) : keys.map(name(of:)))
    }
  }

  private func name(of key: ListedKey) -> String {
    key.key.asName(isTerminal: StandardOutput.isTerminal)
  }

  private func table(_ keys: [ListedKey]) -> [String] {
    let rows = keys.map { key in
      [key.kind.rawValue, String(key.byteCount), String(key.commitNumber), name(of: key)]
    }
    return TextTable.lines(rows, alignments: [.left, .right, .right, .none])
  }

  private func json(_ key: ListedKey) -> JSONValue {
    guard long else {
      return .string(key.key)
    }
    var members = [
      JSONObject.Member(name: "key", value: .string(key.key)),
      JSONObject.Member(name: "type", value: .string(key.kind.rawValue)),
      JSONObject.Member(name: "bytes", value: JSONValue(key.byteCount)),
      JSONObject.Member(name: "commit", value: JSONValue(key.commitNumber)),
    ]
    if let date = key.expirationDate { members.append(JSONObject.Member(name: "expires", value: JSONValue(date))) }
    return JSONObject(unsorted: members).map(JSONValue.object) ?? .null
  }
}

/// A key as lists print it, without its value.
private struct ListedKey {
  let key: String
  let kind: StoredValue.Kind
  let byteCount: Int
  /// 0 for a value that isn't committed yet.
  let commitNumber: UInt64
  let expirationDate: Date?

  init(_ entry: DictionaryEntry) {
    key = entry.key
    kind = entry.value.kind
    byteCount = entry.value.byteCount
    commitNumber = entry.commitNumber ?? 0
    expirationDate = entry.expirationDate
  }
}
