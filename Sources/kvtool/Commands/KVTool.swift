import ArgumentParser
import DflatKV
import DflatSchema
import DflatSupport

/// The root command. Dispatches to the subcommands, and turns every error into one line and an exit status.
@main
struct KVTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kvtool",
    abstract: "Read, write and watch the keys and objects of a database file.",
    discussion: """
      A file has keys with values, as set stores them, and objects, whose types programs define: tables lists these \
      types, and query prints objects. Values go to standard output, everything else to standard error. The file may be \
      open in other programs at the same time. It is the one that --db names, else $KVTOOL_DB, else kvtool/default.db \
      in the user's data folder (~/.local/share). set, incr, txn and import create a missing file, and the folder of a \
      named one with --create.

      Example:
        kvtool set volume 0.8 --double
        kvtool subscribe volume

      Exit status: 0 done, 1 other error, 2 key absent, 3 condition not met, 4 busy, 5 not a database or corrupt or \
      of a newer format, 64 usage.
      """,
    version: ReleaseVersion.current,
    subcommands: [
      GetCommand.self, SetCommand.self, DeleteCommand.self, ExistsCommand.self, TypeCommand.self, KeysCommand.self,
      CountCommand.self, NamespacesCommand.self, IncrCommand.self, TTLCommand.self, RenameCommand.self, TxnCommand.self,
      SubscribeCommand.self, LogCommand.self, TopCommand.self, WebCommand.self, TablesCommand.self, QueryCommand.self,
      InsertCommand.self, UpdateCommand.self, ReplacedCommand.self, ExportCommand.self, ImportCommand.self,
      BackupCommand.self, SealCommand.self,
      CheckCommand.self, RepairCommand.self, RecoverCommand.self, CompactCommand.self, StatsCommand.self,
      ShellCommand.self,
      ClusterCommand.self, ManualCommand.self,
    ])

  static func main() {
    StandardDescriptors.occupyClosed()
    // Without the signal, a write to a closed pipe returns EPIPE, which ends the command quietly.
    signal(SIGPIPE, SIG_IGN)
    // Likewise, a write beyond the largest size that files may have returns EFBIG.
    signal(SIGXFSZ, SIG_IGN)
    let status = runCommand()
    SubscriptionEnd.noteEndOfCommand()
    OpenDatabase.closeReplicas()
    endProcess(status)
  }

  private static func runCommand() -> ToolExitStatus {
    var arguments: [String] = []
    do {
      // Parse and run the command. Its error determines the exit status.
      arguments = normalized(try CommandLineArguments.ofProcess())
      if CommandLineArguments.nameNoCommand(arguments), isatty(STDIN_FILENO) == 1, StandardOutput.isTerminal {
        arguments = ["shell"] + arguments
      }
      try requireUnambiguous(arguments)
      var command = try parseAsRoot(arguments)
      try command.run()
      return .done
    } catch {
      // Damage may have been met before on the way to the same error.
      let status = (error as? ToolError)?.status ?? (error as? WorkspaceError).map { ToolExitStatus($0.code) }
      if status == .unreadableFile, OpenDatabase.endsWithReportedDamage() { return .unreadableFile }
      return report(error, arguments)
    }
  }

  /// The commands and their options. Making it takes a while, and most command lines don't need it.
  static let catalog = CommandCatalog(description: _dumpHelp())

  static func normalized(_ arguments: [String]) -> [String] {
    CommandLineArguments.normalized(arguments) { catalog.optionWithValue($0, of: $1) != nil }
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName ?? ""] + command.configuration.aliases
  }

  /// Returns the subcommand with a name; nil if there is none.
  private static func subcommand(
    _ name: String, of command: any ParsableCommand.Type = KVTool.self
  ) -> (any ParsableCommand.Type)? {
    command.configuration.subcommands.first { names(of: $0).contains { $0.hasSameBytes(as: name) } }
  }

  /// Throws for a word in place of a command, or of a command of `cluster`, after `help` too, and for options without a
  /// command. ArgumentParser would print the general help for `WORD --help`, and call the options unknown.
  ///
  /// - Parameter shellCommands: In the shell, the names of the commands that only it has.
  static func requireCommand(_ arguments: [String], besides shellCommands: [String] = []) throws {
    if !arguments.isEmpty && CommandLineArguments.nameNoCommand(arguments) {
      throw ToolError(.usage, "There is no command after the options. See 'kvtool --help'.")
    }
    let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
    guard let word = words.first, !word.hasPrefix("-"), word != "help" else { return }
    guard let command = subcommand(word) else {
      if shellCommands.contains(where: { $0.hasSameBytes(as: word) }) { return }
      throw ToolError(.usage, missingCommand(word, besides: shellCommands))
    }
    guard !command.configuration.subcommands.isEmpty, let second = words.dropFirst().first, !second.hasPrefix("-"),
      subcommand(second, of: command) == nil
    else { return }
    throw ToolError(.usage, missingCommand(second, of: command))
  }

  /// Throws for arguments that ArgumentParser would read as something that the user can't have meant.
  static func requireUnambiguous(_ arguments: [String]) throws {
    try requireCommand(arguments)
    try CommandLineArguments.requireNoJoinedFlags(arguments)
    let repeated = CommandLineArguments.repeatedNames(in: arguments)
    if repeated.isEmpty { return }
    // Of a value that is given twice it takes the last one.
    if let name = repeated.first(where: { catalog.optionWithValue($0, of: arguments)?.isRepeating == false }) {
      throw ToolError(.usage, "\(name) is given twice: give it once")
    }
  }

  private static func missingCommand(_ word: String, besides shellCommands: [String]) -> String {
    let known = configuration.subcommands.flatMap(names) + shellCommands
    return missingCommand(
      shortened(word), CommandSuggestion.command(for: word, among: known),
      help: shellCommands.isEmpty ? "kvtool --help" : "help")
  }

  private static func missingCommand(_ word: String, of command: any ParsableCommand.Type) -> String {
    let suggestion = NameSuggestion.nearest(to: word, among: command.configuration.subcommands.flatMap(names))
    let name = command.configuration.commandName ?? ""
    return missingCommand(
      "\(name) \(shortened(word))", suggestion.map { "\(name) \($0)" }, help: "kvtool \(name) --help")
  }

  /// - Parameter help: The command that lists the commands.
  private static func missingCommand(_ words: String, _ suggestion: String?, help: String) -> String {
    let question = suggestion.map { ": did you mean '\($0)'?" } ?? "."
    return "There is no command '\(words)'\(question) See '\(help)'."
  }

  /// Reports the error of a command, and returns the exit status.
  static func report(_ error: any Error, _ arguments: [String]) -> ToolExitStatus {
    switch error {
    case let error as ToolError:
      StandardError.write(message: error.message)
      return error.status
    case let error as WorkspaceError:
      return report(ToolError(error), arguments)
    case let errors as SchemaErrors:
      // Prints diagnostics as compilers do, so that editors find the lines.
      for diagnostic in errors.diagnostics {
        StandardError.write(line: diagnostic.description)
      }
      return .otherError
    case is OutputClosed:
      // The reader of the output has closed it, as `head` does: nothing is wrong.
      return .done
    case let silent as ExitCode:
      // The command has already said what happened.
      return ToolExitStatus(rawValue: silent.rawValue) ?? .otherError
    default:
      return reportParsing(error, arguments)
    }
  }

  /// Reports an error of ArgumentParser. Help, the version and completion scripts arrive here too, with the exit code
  /// of success.
  private static func reportParsing(_ error: any Error, _ arguments: [String]) -> ToolExitStatus {
    switch exitCode(for: error) {
    case .success:
      do {
        let isScript = CompletedTool.isRequested(by: arguments)
        try StandardOutput.write(line: isScript ? CompletedTool.fullMessage(for: error) : fullMessage(for: error))
        return .done
      } catch {
        // Not an error of ArgumentParser.
        return report(error, arguments)
      }
    case .validationFailure:
      StandardError.write(message: usageMessage(message(for: error), arguments))
      return .usage
    default:
      StandardError.write(message: "\(error)")
      return .otherError
    }
  }

  /// Returns the message for a wrong command line, with the command that explains the correct form.
  private static func usageMessage(_ message: String, _ arguments: [String]) -> String {
    let advice = InvalidValueAdvice.advice(for: message) ?? InvalidValueAdvice.advice(for: message, on: arguments)
    let message =
      UnexpectedArgumentAdvice.message(for: message, on: arguments, catalog) ?? message + (advice ?? "")
    let words = message.split(whereSeparator: \.isWhitespace).map { shortened(String($0)) }.joined(separator: " ")
    let sentence = words.last.map { ".!?".contains($0) } == true ? words : words + "."
    let command = arguments.first.flatMap { subcommand($0) == nil ? nil : " \($0)" } ?? ""
    return "\(sentence) See 'kvtool\(command) --help'."
  }
}

private func endProcess(_ status: ToolExitStatus) -> Never {
  exit(status.rawValue)
}
