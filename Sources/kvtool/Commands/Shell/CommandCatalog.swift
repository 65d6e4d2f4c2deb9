import DflatSupport

/// The tool's commands and their options, as ArgumentParser describes them for other programs.
struct CommandCatalog: Sendable {
  struct Parameter: Equatable, Sendable {
    /// The names of an option or flag, with their dashes; empty for an argument.
    var names: [String] = []
    /// The placeholder for the value in the help; nil for a flag.
    var valueName: String?
    var isRepeating = false
    /// The values, if only some are valid.
    var values: [String] = []
    var isFile = false
  }

  struct Command: Sendable {
    var names: [String] = []
    var abstract = ""
    var options: [Parameter] = []
    var arguments: [Parameter] = []
    var subcommands: [Command] = []

    func hasName(_ name: String) -> Bool { names.contains { $0.hasSameBytes(as: name) } }

    func hasOption(_ name: String) -> Bool { options.contains { $0.names.contains { $0.hasSameBytes(as: name) } } }
  }

  let commands: [Command]

  /// - Parameter description: The JSON of `--experimental-dump-help`. What isn't in it is missing in the catalog.
  init(description: String) {
    let root = try? JSONParser.parse(Array(description.utf8))
    commands = Self.command((root ?? .null)["command"]).subcommands
  }

  func command(named name: String) -> Command? {
    commands.first { $0.hasName(name) }
  }

  /// Returns the command that the first words of a command line name, and the number of these words; nil if there is none.
  func command(of arguments: [String]) -> (command: Command, nameCount: Int)? {
    guard let command = arguments.first.flatMap(command(named:)) else { return nil }
    if let second = arguments.dropFirst().first, let sub = command.subcommands.first(where: { $0.hasName(second) }) {
      return (sub, 2)
    }
    return (command, 1)
  }

  /// Returns the option with a value that a command line's command has under a name; nil if it has none.
  func optionWithValue(_ name: String, of arguments: [String]) -> Parameter? {
    command(of: arguments)?.command.options.first { option in
      option.valueName != nil && option.names.contains { $0.hasSameBytes(as: name) }
    }
  }

  private static func command(_ json: JSONValue) -> Command {
    let shown = { (json: JSONValue) in json["shouldDisplay"] != .bool(false) }
    let parameters = json["arguments"].elements.filter(shown)
    return Command(
      names: [json["commandName"].text].compactMap { $0 } + json["aliases"].elements.compactMap(\.text),
      abstract: json["abstract"].text ?? "",
      options: parameters.filter { $0["kind"].text != "positional" }.map(parameter),
      arguments: parameters.filter { $0["kind"].text == "positional" }.map(parameter),
      subcommands: json["subcommands"].elements.filter(shown).map(command))
  }

  private static func parameter(_ json: JSONValue) -> Parameter {
    let names = json["names"].elements.compactMap { name in
      name["name"].text.map { name["kind"].text == "short" ? "-\($0)" : "--\($0)" }
    }
    return Parameter(
      names: names, valueName: json["kind"].text == "flag" ? nil : json["valueName"].text,
      isRepeating: json["isRepeating"] == .bool(true), values: json["allValues"].elements.compactMap(\.text),
      isFile: json["completionKind"]["file"] != .null)
  }
}

extension JSONValue {
  /// The member of an object; null if it has none.
  fileprivate subscript(name: String) -> JSONValue {
    if case .object(let object) = self { object[name] ?? .null } else { .null }
  }

  fileprivate var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }
}
