import ArgumentParser
import DflatKV

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the database to a new file while other processes use it.",
    discussion: """
      The copy contains the state of one commit. FILE must not exist yet, and has its name only once it is complete.

      Example:
        kvtool backup ~/backups/today.db
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The file to create.", completion: .file())
  var file: TextArgument

  func run() throws {
    let database = try options.openForReading()
    try NewFile.create(file.text) { try database.workspace.backup(to: $0) }
  }
}
