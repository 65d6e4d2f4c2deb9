import ArgumentParser
import DflatKV

struct InsertCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "insert",
    abstract: "Insert objects from JSON, in one transaction.",
    discussion: """
      Each argument is a JSON object in the form that 'kvtool query' prints; without one, standard input is read: lines \
      of objects, or arrays of them. flatc's extensions of JSON are accepted: names and enum values without quotes, numbers \
      in quotes, commas at the end, comments. The type is one that 'kvtool tables' lists, since the file has its schema: \
      a program that stores objects adds it, and 'kvtool backup' copies a file with it. So b.db in the example has the \
      type already. Indexes, unique fields and observers are kept up as in programs. Prints the number of objects. If an \
      object with the same primary key, or the same value of a unique field, exists, nothing is inserted and the exit \
      status is 3; --replace replaces an object with the same primary key.

      Example:
        kvtool insert Post '{"title": "New", "stars": 3}'
        kvtool query Post --db a.db | kvtool insert Post --db b.db --replace
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The type, with its namespace or without, or the name of its table.")
  var type: TextArgument

  @Argument(help: ArgumentHelp("The objects.", valueName: "json"))
  var objects: [TextArgument] = []

  @Flag(help: "Replace objects with the same primary keys.")
  var replace = false

  func run() throws {
    // Without objects, too: the type may be mistyped.
    try options.openForUpdating().run(step())
  }

  func step() throws -> TransactionStep {
    step(try parse())
  }

  private func step(_ values: [JSONValue]) -> TransactionStep {
    .objects(type.text) { type, _, transaction in
      try ObjectChanges(type, in: transaction).insert(values, replacing: replace)
      return .line(String(values.count))
    }
  }

  private func parse() throws -> [JSONValue] {
    let texts =
      objects.isEmpty
      ? [try InputFile.standardInput(for: "objects as JSON")] : objects.map { Array($0.text.utf8) }
    do {
      // An array stands for its elements.
      return try texts.flatMap { try JSONParser.parseSequence($0, dialect: .flatc) }.flatMap { value in
        if case .array(let elements) = value { elements } else { [value] }
      }
    } catch let error as JSONParser.Failure {
      throw ToolError(.otherError, "the objects are not JSON, line \(error.line): \(error.message)")
    }
  }
}
