import ArgumentParser
import DflatKV

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the file: SQLite's integrity and this format's.",
    discussion: """
      Prints 'ok', or each problem in a line and exits with 5.

      Example:
        kvtool check --db settings.db
      """)

  @OptionGroup var options: GlobalOptions

  func run() throws {
    guard let database = try options.openForReading() else {
      throw try options.missingFile()
    }
    let problems = try database.workspace.checkIntegrity()
    guard problems.isEmpty else {
      for problem in problems {
        try StandardOutput.write(line: problem.asLine)
      }
      let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
      throw ToolError(.unreadableFile, "\(try options.path()) is damaged, \(count): restore it from a backup or an export")
    }
    try StandardOutput.write(line: "ok")
  }
}
