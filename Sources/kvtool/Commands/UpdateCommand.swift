import ArgumentParser
import DflatKV

struct UpdateCommand: ParsableCommand, TransactionCommand {
  static let configuration = CommandConfiguration(
    commandName: "update",
    abstract: "Change fields of the objects of a type, in one transaction.",
    discussion: """
      The JSON object has the new values of some fields, in the form that 'kvtool query' prints; null removes a value. A \
      union is changed with its kind: content_type and content. flatc's extensions of JSON are accepted, as in 'kvtool \
      insert'. Prints the number of objects. If a change would give two \
      objects the same primary key, or the same value of a unique field, nothing is changed and the exit status is 3.

      Example:
        kvtool update Post '{"stars": 5}' --where 'title == "New"'
        kvtool update Post '{"tag": null}' --all
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The type, with its namespace or without, or the name of its table.")
  var type: TextArgument

  @Argument(help: ArgumentHelp("The new values.", valueName: "json"))
  var changes: TextArgument

  @OptionGroup var condition: ConditionOptions

  @Flag(help: "Change all objects.")
  var all = false

  func validate() throws {
    if condition.predicate != nil, all { throw ValidationError("--where and --all exclude each other") }
    if condition.predicate == nil, !all { throw ValidationError("give --where, or --all for every object") }
  }

  func run() throws {
    let step = try step()
    try options.openForUpdating().run(step)
  }

  func step() throws -> TransactionStep {
    let syntax = try condition.parse()
    let json: JSONValue
    do throws(JSONParser.Failure) { json = try JSONParser.parse(Array(changes.text.utf8), dialect: .flatc) } catch {
      throw ToolError(.otherError, "the new values are not JSON, line \(error.line): \(error.message)")
    }
    guard case .object(let changes) = json else {
      throw ToolError(.otherError, "the new values are not a JSON object: write {\"field\": value}")
    }
    return .objects(type.text) { type, _, transaction in
      .line(String(try ObjectChanges(type, in: transaction).update(syntax, setting: changes)))
    }
  }
}
