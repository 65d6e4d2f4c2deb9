import DflatEntities
import DflatKV
import DflatSchema
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Completes the word before the cursor: commands, options, keys, namespaces, types, fields, and names of files.
struct ShellCompletion {
  /// The file's names. Each call reads them anew, since other programs change them.
  struct Source {
    /// Returns keys that begin with a text, in a namespace.
    let keys: (_ prefix: String, _ namespace: String?) -> [String]
    let namespaces: () -> [String]
    let types: () -> [StoredType]
  }

  /// A possible word.
  private struct Candidate: Hashable {
    /// The whole word.
    let text: ByteComparedString
    /// True if more of the word follows, as after the name of a folder.
    var isOpen = false

    init(_ text: String, isOpen: Bool = false) {
      self.text = ByteComparedString(text)
      self.isOpen = isOpen
    }
  }

  /// The most choices that are listed.
  private static let maximumChoices = 100

  let catalog: CommandCatalog
  /// The names of the commands that only the shell has.
  let shellCommands: [String]
  let source: Source

  /// Returns what the Tab key does after the given part of the line.
  func complete(_ line: String) -> LineEditor.Completion {
    let words = ShellWords(line)
    // A backslash at the end escapes what will be typed.
    if words.isJoined { return LineEditor.Completion() }
    let current = words.isLastWordOpen ? words.words[words.words.count - 1] : ShellWords.Word()
    let before = words.texts.dropLast(words.isLastWordOpen ? 1 : 0)
    return completion(of: current, after: Array(before), in: words.quote)
  }

  private func completion(
    of word: ShellWords.Word, after before: [String], in quote: ShellWords.Quote
  ) -> LineEditor.Completion {
    // Users type the tool's name by habit.
    let before = before.first == "kvtool" ? Array(before.dropFirst()) : before
    guard let name = before.first else {
      return Self.completion(word, quote, commandNames.map { Candidate($0) })
    }
    if ["help", "use"].contains(where: { $0.hasSameBytes(as: name) }) {
      let names = name == "use" ? source.namespaces() : commandNames
      return Self.completion(word, quote, names.map { Candidate($0) })
    }
    guard var command = catalog.command(named: name) else { return LineEditor.Completion() }
    var arguments = before.dropFirst()
    if let second = arguments.first, let subcommand = command.subcommands.first(where: { $0.hasName(second) }) {
      command = subcommand
      arguments = arguments.dropFirst()
    } else if !command.subcommands.isEmpty {
      return Self.completion(word, quote, command.subcommands.flatMap(\.names).map { Candidate($0) })
    }
    return completion(of: word, in: quote, ParsedArguments(Array(arguments), of: command))
  }

  private func completion(
    of word: ShellWords.Word, in quote: ShellWords.Quote, _ arguments: ParsedArguments
  ) -> LineEditor.Completion {
    guard let parameter = arguments.next(for: word.text) else {
      let names = arguments.command.options.flatMap(\.names).filter { $0.hasPrefix("--") }
      return Self.completion(word, quote, names.map { Candidate($0) })
    }
    if !parameter.values.isEmpty {
      return Self.completion(word, quote, parameter.values.map { Candidate($0) })
    }
    if parameter.isFile { return Self.completion(word, quote, Self.files(word.text)) }
    let isOption = !parameter.names.isEmpty
    switch parameter.valueName {
    case "key", "old", "new", "prefix":
      let keys = source.keys(word.text, arguments.value(of: "--namespace", "-n"))
      return Self.completion(word, quote, keys.map { Candidate($0, isOpen: parameter.valueName == "prefix") })
    case "name" where isOption:
      return Self.completion(word, quote, source.namespaces().map { Candidate($0) })
    case "type" where !isOption || parameter.names.contains { $0 == "--from" || $0 == "--query" }:
      return Self.completion(word, quote, source.types().map { Candidate($0.definition.name.name) })
    case "condition", "fields", "json":
      guard let typeName = arguments.typeName, let type = type(named: typeName) else { return LineEditor.Completion() }
      return Self.completion(ofFieldIn: word.text, type, isJSON: parameter.valueName == "json")
    default:
      let isFile = parameter.valueName == "file" || parameter.valueName == "folder"
      return isFile ? Self.completion(word, quote, Self.files(word.text)) : LineEditor.Completion()
    }
  }

  private var commandNames: [String] {
    (catalog.commands.flatMap(\.names) + shellCommands).sorted { $0.precedesInBytes($1) }
  }

  private func type(named name: String) -> StoredType? {
    source.types().first { type in
      [type.name, type.definition.name.name, type.table.name].contains { $0.hasSameBytes(as: name) }
    }
  }

  /// Completes a whole word.
  private static func completion(
    _ word: ShellWords.Word, _ quote: ShellWords.Quote, _ candidates: [Candidate]
  ) -> LineEditor.Completion {
    // A control character can't be typed.
    let matching = Set(candidates).filter { candidate in
      candidate.text.string.utf8.starts(with: word.text.utf8)
        && !candidate.text.string.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
    let texts = matching.map(\.text.string).sorted { $0.precedesInBytes($1) }
    guard let common = commonPrefix(texts) else { return LineEditor.Completion() }
    let isComplete = texts.count == 1 && !matching.allSatisfy(\.isOpen)
    // The word is typed again, if its end needs other quotes than its beginning.
    var completion = LineEditor.Completion()
    if common.utf8.count > word.text.utf8.count || isComplete {
      completion.removedCount = word.source.unicodeScalars.count
      completion.insertion = typed(common, quote, isComplete: isComplete)
    }
    if texts.count > 1, common.utf8.count == word.text.utf8.count { completion.choices = listed(texts) }
    return completion
  }

  /// Returns a word as the user would type it, with the kind of quotes that is open.
  private static func typed(_ text: String, _ quote: ShellWords.Quote, isComplete: Bool) -> String {
    let mark =
      switch quote {
      case .single: "'"
      case .double: "\""
      case .none, .json: ""
      }
    // An empty text needs quotes.
    if text.isEmpty, isComplete, mark.isEmpty { return "'' " }
    // Brackets that open JSON are typed as other characters.
    let typed = ShellWords.escaped(text, in: mark.isEmpty ? .none : quote)
    return mark + typed + (isComplete ? mark + " " : "")
  }

  /// Completes the name of a field within a condition, a list of sort keys, or an object.
  private static func completion(
    ofFieldIn text: String, _ type: StoredType, isJSON: Bool
  ) -> LineEditor.Completion {
    let name = String(text.unicodeScalars.reversed().prefix { isPartOfName($0) }.reversed().map(Character.init))
    if isJSON, !isMemberName(before: text.unicodeScalars.dropLast(name.unicodeScalars.count)) {
      return LineEditor.Completion()
    }
    let fields = isJSON ? type.definition.memberNames : type.fieldPaths
    let matching = fields.filter { $0.hasPrefix(name) }.sorted { $0.precedesInBytes($1) }
    guard let common = commonPrefix(matching) else { return LineEditor.Completion() }
    let end = matching.count > 1 ? "" : isJSON ? "\": " : " "
    return LineEditor.Completion(
      removedCount: 0, insertion: String(common.dropFirst(name.count)) + end,
      choices: matching.count > 1 && common.count == name.count ? listed(matching) : [])
  }

  private static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  /// True after a quote that begins the name of a member.
  private static func isMemberName(before text: Substring.UnicodeScalarView) -> Bool {
    let marks = text.reversed().filter { !$0.properties.isWhitespace }.prefix(2)
    return marks.first == "\"" && (marks.last == "{" || marks.last == ",")
  }

  private static func listed(_ texts: [String]) -> [String] {
    let names = texts.prefix(maximumChoices).map { $0.asName(isTerminal: true) }
    return texts.count > maximumChoices ? names + ["… (\(texts.count))"] : names
  }

  /// Returns what all texts begin with; nil if there are none.
  private static func commonPrefix(_ texts: [String]) -> String? {
    guard let first = texts.first else { return nil }
    return texts.dropFirst().reduce(first) { common, text in
      let count = zip(common.unicodeScalars, text.unicodeScalars).prefix { $0 == $1 }.count
      return String(String.UnicodeScalarView(common.unicodeScalars.prefix(count)))
    }
  }

  /// Returns the files whose paths begin with a text.
  private static func files(_ path: String) -> [Candidate] {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    // Hidden files are offered to those who type the dot.
    let isDotTyped = path[(slash.map { path.index(after: $0) } ?? path.startIndex)...].hasPrefix(".")
    return names.filter { isDotTyped || !$0.hasPrefix(".") }.map { name in
      var status = stat()
      let isFolder = stat(folder + name, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      return Candidate(folder + name + (isFolder ? "/" : ""), isOpen: isFolder)
    }
  }
}

/// The words behind a command, assigned to its parameters as far as the shell has to know.
private struct ParsedArguments {
  let command: CommandCatalog.Command
  private var positional: [String] = []
  private var options: [(parameter: CommandCatalog.Parameter, value: String)] = []
  /// The option whose value comes next.
  private var pending: CommandCatalog.Parameter?
  private var areOptionsOver = false

  init(_ words: [String], of command: CommandCatalog.Command) {
    self.command = command
    for word in words {
      if let option = pending {
        options.append((option, word))
        pending = nil
      } else if word == "--" {
        areOptionsOver = true
      } else if !areOptionsOver, let option = option(word), option.valueName != nil {
        pending = option
      } else if areOptionsOver || !word.hasPrefix("-") {
        positional.append(word)
      }
    }
  }

  private func option(_ word: String) -> CommandCatalog.Parameter? {
    command.options.first { $0.names.contains { $0.hasSameBytes(as: word) } }
  }

  /// Returns the parameter that a word is for; nil for the name of an option.
  func next(for word: String) -> CommandCatalog.Parameter? {
    if let pending { return pending }
    if word.hasPrefix("-"), !areOptionsOver { return nil }
    // With a type of objects, the command is not about keys.
    if positional.count < command.arguments.count { return command.arguments[positional.count] }
    return command.arguments.last.flatMap { $0.isRepeating ? $0 : nil }
  }

  func value(of names: String...) -> String? {
    options.last { option in option.parameter.names.contains { names.contains($0) } }?.value
  }

  /// The type of objects that the command is about.
  var typeName: String? {
    if let named = value(of: "--from", "--query") { return named }
    return command.arguments.first?.valueName == "type" ? positional.first : nil
  }
}

extension StoredType {
  /// The names of fields, and the paths into structs, tables and unions.
  fileprivate var fieldPaths: [String] {
    fields.flatMap { field -> [String] in
      let parts =
        switch field.type {
        case .element(.structure(let index)): schema.structs[index].fields.map(\.name)
        case .element(.table(let index)): schema.tables[index].fields.filter { !$0.isDeprecated }.map(\.name)
        case .element(.union(let index)): schema.unions[index].members.map(\.name)
        default: [String]()
        }
      return [field.name] + parts.map { "\(field.name).\($0)" }
    }
  }
}
