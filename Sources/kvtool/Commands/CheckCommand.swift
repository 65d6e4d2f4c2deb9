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
    let database = try options.unlessMissing(try options.openForReading())
    let problems = try database.workspace.checkIntegrity()
    guard problems.isEmpty else {
      for problem in problems {
        try StandardOutput.write(line: problem.asLine)
      }
      let count = problems.count == 1 ? "1 problem" : "\(problems.count) problems"
      let path = try options.path()
      throw ToolError(.unreadableFile, "\(path) is damaged, \(count): restore it from a backup or an export")
    }
    try StandardOutput.write(line: "ok")
  }
}
