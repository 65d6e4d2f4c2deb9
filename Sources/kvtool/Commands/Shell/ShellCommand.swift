import ArgumentParser
import DflatSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ShellCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell",
    abstract: "Type commands at a prompt, with completion, history and transactions.",
    discussion: """
      'kvtool' alone on a terminal is the same. The commands are those of kvtool, without its name; 'help' lists them \
      and those of the shell: begin, commit, abort, use, exit. Lines are edited with libedit and the settings in ~/.editrc. \
      The history is in $XDG_STATE_HOME/kvtool/history (~/.local/state), or in the file that $KVTOOL_HISTORY names; an \
      empty one turns it off, and a line that begins with a space isn't kept. Without a terminal, the commands on \
      standard input run until the first one fails.

      A transaction holds no lock while you type. Its commands see the changes before them; when it is committed, they \
      run again, and if one would print something else, nothing is committed and the status is 3.

      Example:
        kvtool shell --db app.db
        printf 'begin\\nset a 1\\nset b 2\\ncommit\\n' | kvtool shell
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var creation: CreationOptions

  func run() throws {
    let isInteractive = isatty(STDIN_FILENO) == 1 && StandardOutput.isTerminal
    let session = try ShellSession(
      options, creation, KVTool.catalog, input: isInteractive ? .inherited : .closed)
    InputFile.reserveStandardInput()
    if isInteractive {
      try InteractiveShell(session).run()
    } else {
      try runScript(session)
    }
  }

  /// Runs commands until one fails.
  private func runScript(_ session: ShellSession) throws {
    var lines = TypedLines()
    var number = 0
    while !session.hasEnded, let line = try lines.next() {
      number += 1
      let first = number
      var text = line
      var words = ShellWords(text)
      while words.isIncomplete {
        guard let next = try lines.next() else {
          throw ToolError(.usage, "line \(first): the input ends within a quote or a bracket")
        }
        number += 1
        text += "\n" + next
        words.append(line: next)
      }
      let status = session.run(words, text: text)
      guard status == .done else {
        StandardError.write(message: "line \(first) failed, so the commands after it didn't run")
        if session.abandonTransaction() { StandardError.write(message: "the transaction was aborted") }
        throw ExitCode(status.rawValue)
      }
    }
    if session.abandonTransaction() {
      throw ToolError(.otherError, "the input ends within a transaction, which was aborted")
    }
  }
}
