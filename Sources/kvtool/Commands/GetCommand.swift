import ArgumentParser
import DflatKV

struct GetCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print the values of keys, one per line.",
    discussion: """
      The exit status is 2 when a key is absent and there is no --default. A text is printed as it is, but on a terminal in \
      quotes, as in JSON, unless --format is raw. Data is printed as its bytes, without a \
      newline. For a FlatBuffers value, its version and size are printed, or with --schema the value as JSON. A value of \
      another version of the schema, and bytes that are not such a value, are errors with exit status 1. With --path, a \
      part of a property list or of a FlatBuffers value is printed; a key without that part counts as absent. A name \
      with dots is quoted in brackets: a["b.c"].

      Example:
        kvtool get volume
        kvtool get settings --format json
        kvtool get settings --path 'window.frame[0]'
        kvtool get volume --default 0.5
        kvtool get draft --schema post.fbs
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The keys.")
  var key: [TextArgument]

  @Option(help: ArgumentHelp("What to print for an absent key.", valueName: "text"))
  var `default`: TextArgument?

  @Option(help: "How to print: auto, raw, json, ndjson, hex or plist.")
  var format = OutputFormat.auto

  @Option(help: ArgumentHelp("Print only this part of each value, such as a.b[0].", valueName: "path"))
  var path: ValuePath?

  @Flag(name: .customLong("no-newline"), help: "Leave out the newline after a value.")
  var omitsNewline = false

  @OptionGroup var schemaOptions: SchemaOptions

  func validate() throws {
    guard schemaOptions.schema == nil || format != .hex && format != .plist else {
      throw ValidationError("--schema prints JSON: leave out --format \(format.rawValue)")
    }
    guard path == nil || format != .ndjson else {
      throw ValidationError("--path prints a part of a value, and ndjson is about the whole: use --format json")
    }
  }

  func run() throws {
    let schema = try schemaOptions.load()
    try outcome(in: try options.openForReading().dictionary, schema).report()
  }

  func step() throws -> TransactionStep {
    let schema = try schemaOptions.load()
    return .keys(options.namespaceName) { try outcome(in: $0, schema) }
  }

  private func outcome(in dictionary: WorkspaceDictionary, _ schema: SchemaType?) throws -> TransactionStep.Outcome {
    let printer = ValuePrinter(format, isTerminal: StandardOutput.isTerminal, endsLines: !omitsNewline)
    // Read all keys before printing, so that a failed read prints nothing.
    var output: [UInt8] = []
    var absent: [String] = []
    var withoutPart: [String] = []
    for key in key.map(\.text) {
      let value = try dictionary.storedValue(forKey: key)
      if let value,
        let printed = try bytes(value, key: key, schema: schema, dictionary: dictionary, printer: printer)
      {
        output += printed
      } else if let text = `default`?.text {
        output += printer.line(text)
      } else if value == nil {
        absent.append(key)
      } else {
        withoutPart.append(key)
      }
    }
    return TransactionStep.Outcome(
      output: output, failure: failure(absent: absent, withoutPart: withoutPart, in: dictionary.namespaceName))
  }

  /// Returns the error about absent keys, and about those whose values have no part at the path; nil if there are none.
  private func failure(absent: [String], withoutPart: [String], in namespace: String) -> ToolError? {
    var messages = absent.isEmpty ? [] : [ToolError.keysAbsent(absent, in: namespace).message]
    if let path, !withoutPart.isEmpty {
      let names = withoutPart.map(quoted).joined(separator: ", ")
      messages.append("\(withoutPart.count == 1 ? "key \(names) has" : "keys \(names) have") no part \(path.text)")
    }
    return messages.isEmpty ? nil : ToolError(.keyAbsent, messages.joined(separator: "; "))
  }

  /// Returns what to print for a value; nil if it has no part at the path.
  private func bytes(
    _ value: StoredValue, key: String, schema: SchemaType?, dictionary: WorkspaceDictionary, printer: ValuePrinter
  ) throws -> [UInt8]? {
    do {
      if let path {
        return try part(path, of: value, schema: schema, printer: printer)
      }
      if case .sealed = value, format != .json, format != .ndjson { throw ValueFailure.sealed }
      let json = try schema?.json(value)
      guard format == .ndjson else {
        return try json.map(printer.bytes(json:)) ?? printer.bytes(value)
      }
      let commit = try dictionary.commitNumber(forKey: key) ?? 0
      let record = ValueRecord(
        key: key, namespace: dictionary.namespaceName, value: value, commitNumber: commit,
        expirationDate: try dictionary.expirationDate(forKey: key))
      return printer.line(JSONWriter.string(try record.json(schema)))
    } catch let failure as ValueFailure {
      throw failure.toolError(key: key)
    }
  }

  private func part(
    _ path: ValuePath, of value: StoredValue, schema: SchemaType?, printer: ValuePrinter
  ) throws(ValueFailure) -> [UInt8]? {
    // With a schema, the part is one of its JSON. A text is printed without quotes.
    if let json = try schema?.json(value) {
      guard let part = path.part(of: json) else {
        return nil
      }
      if case .string(let text) = part {
        return try printer.bytes(StoredValue.string(text))
      }
      return printer.bytes(json: part)
    }
    if case .sealed = value { throw .sealed }
    // Without one, only property lists have parts.
    if case .flatBuffers = value {
      throw ValueFailure("it holds a FlatBuffers value: name its schema with --schema to print a part of it")
    }
    guard case .propertyList(let data) = value else {
      return nil
    }
    do throws(PropertyListFailure) {
      guard let part = path.part(of: try PropertyListNode.parse([UInt8](data))) else {
        return nil
      }
      return try printer.bytes(part: part)
    } catch {
      throw ValueFailure(error)
    }
  }
}
