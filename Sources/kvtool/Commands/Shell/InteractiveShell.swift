import DflatSchema
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads commands from a terminal.
final class InteractiveShell {
  /// A command of which the end is still to come.
  private struct Pending {
    var text: String
    var words: ShellWords
  }

  private let session: ShellSession
  private let history: LineHistory
  private var editor: LineEditor?
  private var pending: Pending?

  init(_ session: ShellSession) {
    self.session = session
    history = LineHistory(environment: ProcessInfo.processInfo.environment)
    let completion = session.completion
    editor = LineEditor { [unowned self] line in completion.complete(pending.map { "\($0.text)\n\(line)" } ?? line) }
  }

  /// Runs until the user ends the shell.
  func run() throws {
    // The terminal sends Ctrl-C to the running command, too. Only that one ends, and the prompt is on a line of its own.
    signal(SIGINT) { _ in _ = write(STDOUT_FILENO, "\n", 1) }
    if let editor {
      for command in history.load() { editor.remember(command) }
    } else {
      StandardError.write(message: "there is no libedit on this system, so lines can't be edited (on Debian: libedit2)")
    }
    StandardError.write(text: "kvtool \(ReleaseVersion.current). Type 'help' for the commands, 'exit' to end.\n")
    var lines = TypedLines()
    while !session.hasEnded {
      switch try read(pending == nil ? session.prompt : "... ", &lines) {
      case .interrupt: pending = nil
      case .line(let line):
        var command = pending ?? Pending(text: line, words: ShellWords(line))
        if pending != nil {
          command.text += "\n" + line
          command.words.append(line: line)
        }
        pending = command.words.isIncomplete ? command : nil
        if pending == nil { run(command.words, command.text) }
      case .end:
        try StandardOutput.write(line: "")
        if session.abandonTransaction() { StandardError.write(message: "the transaction was aborted") }
        return
      }
    }
    if session.abandonTransaction() { StandardError.write(message: "the transaction was aborted") }
  }

  private func read(_ prompt: String, _ lines: inout TypedLines) throws -> LineEditor.Input {
    if let editor { return editor.read(prompt: prompt) }
    try StandardOutput.write(Array(prompt.utf8))
    return try lines.next().map { .line($0) } ?? .end
  }

  private func run(_ words: ShellWords, _ command: String) {
    if words.words.isEmpty { return }
    editor?.remember(command)
    history.append(command)
    _ = session.run(words, text: command)
  }
}
