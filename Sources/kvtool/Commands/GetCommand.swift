import ArgumentParser
import DflatKV

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the values of keys, a line each.",
    discussion: """
      The exit status is 2 when a key is absent and there is no --default. Data is printed as its bytes, without a \
      newline.

      Example:
        kvtool get volume
        kvtool get settings --format json
        kvtool get volume --default 0.5
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The keys.")
  var key: [TextArgument]

  @Option(help: ArgumentHelp("What to print for an absent key.", valueName: "text"))
  var `default`: TextArgument?

  @Option(help: "How to print: auto, raw, json, ndjson, hex or plist.")
  var format = OutputFormat.auto

  @Flag(name: .customLong("no-newline"), help: "Leave out the newline after a value.")
  var omitsNewline = false

  func run() throws {
    let keys = key.map(\.text)
    let database = try options.openForReading()
    let dictionary = database?.dictionary
    let printer = ValuePrinter(format, isTerminal: StandardOutput.isTerminal, endsLines: !omitsNewline)
    var output: [UInt8] = []
    var absent: [String] = []
    for key in keys {
      if let value = try dictionary?.storedValue(forKey: key) {
        output += try bytes(value, key: key, dictionary: dictionary, printer: printer)
      } else if let text = `default`?.text {
        output += printer.line(text)
      } else {
        absent.append(key)
      }
    }
    try StandardOutput.write(output)
    guard absent.isEmpty else {
      throw ToolError.keysAbsent(absent, in: options.namespaceName)
    }
  }

  private func bytes(
    _ value: StoredValue, key: String, dictionary: WorkspaceDictionary?, printer: ValuePrinter
  ) throws -> [UInt8] {
    do {
      guard format == .ndjson else {
        return try printer.bytes(value)
      }
      let commit = try dictionary?.commitNumber(forKey: key) ?? 0
      let record = ValueRecord(key: key, namespace: options.namespaceName, value: value, commitNumber: commit)
      return printer.line(JSONWriter.string(try record.json()))
    } catch let failure as ValueFailure {
      throw failure.toolError(key: key)
    }
  }
}
