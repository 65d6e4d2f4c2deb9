import ArgumentParser
import DflatCore
import DflatEntities
import DflatKV
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs the commands of a shell.
///
/// Each command is a process of its own, as it would be in another shell: Ctrl-C ends it alone, and it sees the newest
/// commit. Only the commands of a transaction run in this process.
final class ShellSession {
  private let options: GlobalOptions
  private let creation: CreationOptions
  /// The standard input of the shell's commands.
  private let input: ChildProcess.Input
  private let catalog: CommandCatalog
  private var transaction: PendingTransaction?
  private(set) var hasEnded = false

  init(
    _ options: GlobalOptions, _ creation: CreationOptions, _ catalog: CommandCatalog, input: ChildProcess.Input
  ) throws {
    self.options = options
    self.creation = creation
    self.catalog = catalog
    self.input = input
    // The commands take these from the environment.
    if let path = options.db?.text { setenv("KVTOOL_DB", path, 1) }
    if let namespace = options.chosenNamespace { setenv("KVTOOL_NAMESPACE", namespace, 1) }
    if options.sealKeyDescriptor != nil, let key = try options.sealKey() { setenv(ToolSealKey.variable, key.text, 1) }
  }

  /// The commands that only the shell has.
  private static let commands: [(name: String, usage: String, abstract: String)] = [
    ("begin", "begin", "Begin a transaction: the commands that follow are committed together."),
    ("commit", "commit", "Commit the transaction, unless what its commands printed has changed."),
    ("abort", "abort", "Discard the transaction."),
    ("use", "use [namespace]", "Use the keys of a namespace, or of the root."),
    ("help", "help [command]", "List the commands, or explain one."),
    ("exit", "exit", "End the shell. So does Ctrl-D."),
  ]

  /// The options of commands that apply to a transaction as a whole, which has those of the shell.
  private static let transactionOptions = ["--seal-key-fd", "--timeout", "--create"]

  private var namespace: String { ProcessInfo.processInfo.environment["KVTOOL_NAMESPACE"] ?? "" }

  var prompt: String {
    let path = (try? options.path()) ?? ""
    let name = (path.split(separator: "/").last.map(String.init) ?? path).asName(isTerminal: true)
    let place = namespace.isEmpty ? "" : "[\(namespace.asName(isTerminal: true))]"
    return "\(name)\(place)\(transaction.map { " (\($0.count))" } ?? "")> "
  }

  /// Runs a command, reports its errors, and returns its exit status.
  func run(_ command: ShellWords, text: String) -> ToolExitStatus {
    let words = command.texts.first == "kvtool" ? Array(command.texts.dropFirst()) : command.texts
    do {
      try run(words, text: text)
      return .done
    } catch let conflict as PendingTransaction.Conflict {
      _ = abandonTransaction()
      return KVTool.report(conflict.toolError, words)
    } catch {
      return KVTool.report(error, words)
    }
  }

  private func run(_ words: [String], text: String) throws {
    guard let name = words.first else { return }
    // A program's arguments end at this character.
    guard !words.contains(where: { $0.utf8.contains(0) }) else {
      throw ToolError(.usage, "a command can't contain the character U+0000: import such keys and values")
    }
    switch name {
    case "begin": try begin(words)
    case "commit": try commit(words)
    case "abort", "rollback": try abort(words)
    case "use": try use(words)
    case "help" where words.count == 1: try printHelp()
    case "help" where words.count == 2 && Self.commands.contains { $0.name.hasSameBytes(as: words[1]) }:
      for command in Self.commands where command.name.hasSameBytes(as: words[1]) {
        try StandardOutput.write(line: "\(command.usage)  \(command.abstract)")
      }
    case "exit", "quit":
      try requireNoArguments(words)
      hasEnded = true
    case "shell": throw ToolError(.usage, "this is the shell already")
    default: try runTool(words, text: text)
    }
  }

  private func runTool(_ words: [String], text: String) throws {
    // kvtool itself, which runs the command, doesn't know those of the shell.
    try KVTool.requireCommand(CommandLineArguments.moveLeadingOptions(words), besides: Self.commands.map(\.name))
    if transaction != nil, words[0] != "help" {
      let arguments = KVTool.normalized(words)
      try KVTool.requireUnambiguous(arguments)
      var parsed = try KVTool.parseAsRoot(arguments)
      // `get --help`: running it throws the help.
      if type(of: parsed).configuration.commandName == "help" { return try parsed.run() }
      guard let command = parsed as? any TransactionCommand else {
        throw ToolError(.usage, "'\(shortened(words[0]))' can't be a part of a transaction: commit or abort it first")
      }
      guard !command.options.namesOtherFile(than: options) else {
        throw ToolError(.usage, "a transaction is about one file: leave out --db")
      }
      let names = CommandLineArguments.names(in: arguments)
      if let name = names.first(where: { name in Self.transactionOptions.contains { $0.hasSameBytes(as: name) } }) {
        throw ToolError(.usage, "a transaction has the options of the shell: give \(name) to 'kvtool shell'")
      }
      let step = try command.step()
      try transaction?.run(text, step).report()
      return
    }
    guard
      let status = try ChildProcess.run(
        try ChildProcess.ownPath(), ["kvtool"] + withOptions(words), input: input)
    else {
      throw ToolError(.otherError, "the command is too long")
    }
    if status != 0 { throw ExitCode(status) }
  }

  /// Returns a command line with the options of the shell that its command takes, too.
  private func withOptions(_ words: [String]) -> [String] {
    let words = CommandLineArguments.moveLeadingOptions(words)
    guard let (command, nameCount) = catalog.command(of: words) else { return words }
    let names = CommandLineArguments.names(in: words)
    let takes = { (name: String) in command.hasOption(name) && !names.contains { $0.hasSameBytes(as: name) } }
    var added: [String] = []
    if let timeout = options.timeout, takes("--timeout") { added += ["--timeout", String(timeout.seconds)] }
    if creation.createsFolder, takes("--create") { added.append("--create") }
    return words.prefix(nameCount) + added + words.dropFirst(nameCount)
  }

  private func begin(_ words: [String]) throws {
    try requireNoArguments(words)
    guard transaction == nil else { throw ToolError(.usage, "a transaction has begun: commit or abort it first") }
    transaction = try PendingTransaction(options, creation)
  }

  private func commit(_ words: [String]) throws {
    try requireNoArguments(words)
    try requireTransaction().commit()
    transaction = nil
  }

  private func abort(_ words: [String]) throws {
    try requireNoArguments(words)
    try requireTransaction().abort()
    transaction = nil
  }

  /// Discards the transaction at the end of the input. Returns true if there was one.
  func abandonTransaction() -> Bool {
    guard let transaction else { return false }
    transaction.abort()
    self.transaction = nil
    return true
  }

  private func requireTransaction() throws -> PendingTransaction {
    guard let transaction else { throw ToolError(.usage, "there is no transaction: begin one with 'begin'") }
    return transaction
  }

  private func requireNoArguments(_ words: [String]) throws {
    guard words.count == 1 else { throw ToolError(.usage, "'\(words[0])' takes no arguments") }
  }

  private func use(_ words: [String]) throws {
    guard words.count <= 2 else { throw ToolError(.usage, "use one namespace: quote a name with spaces") }
    setenv("KVTOOL_NAMESPACE", words.count == 2 ? words[1] : "", 1)
  }

  private func printHelp() throws {
    let width = (catalog.commands.flatMap(\.names) + Self.commands.map(\.usage)).map(\.count).max() ?? 0
    let row = { (name: String, abstract: String) in
      "  " + name + String(repeating: " ", count: width - name.count + 2) + abstract
    }
    let lines =
      ["Commands of this shell:"] + Self.commands.map { row($0.usage, $0.abstract) } + ["", "Commands of kvtool:"]
      + catalog.commands.filter { $0.names != ["help"] && $0.names != ["shell"] }.map { row($0.names[0], $0.abstract) }
      + [
        "", "Words with spaces are in quotes, a backslash escapes a character, and JSON in brackets needs no quotes.",
        "A quote or a bracket that isn't closed goes on in the next line. The Tab key completes words.",
      ]
    try StandardOutput.write(Array(lines.map { $0 + "\n" }.joined().utf8))
  }
}

extension ShellSession {
  var completion: ShellCompletion {
    ShellCompletion(catalog: catalog, shellCommands: Self.commands.map(\.name), source: completionSource)
  }

  /// The file's names for completion; none if the file is missing or damaged.
  private var completionSource: ShellCompletion.Source {
    ShellCompletion.Source(
      keys: { [self] prefix, namespace in
        read { try $0.dictionary.namespace(namespace ?? self.namespace).readKeys(withPrefix: prefix) } ?? []
      },
      namespaces: { [self] in read { try $0.dictionary.namespaces() }?.filter { !$0.isEmpty } ?? [] },
      types: { [self] in read { try $0.storedTables().compactMap { StoredType($0) } } ?? [] })
  }

  private func read<Result>(_ body: (SQLiteWorkspace) throws -> Result) -> Result? {
    guard let database = try? options.openForReading() else { return nil }
    defer { database.workspace.shutdown() }
    return try? body(database.workspace)
  }
}

extension GlobalOptions {
  /// True if a command names a file of its own.
  fileprivate func namesOtherFile(than shell: GlobalOptions) -> Bool {
    guard let db else { return false }
    return !((try? shell.path())?.hasSameBytes(as: db.text) ?? false)
  }
}
