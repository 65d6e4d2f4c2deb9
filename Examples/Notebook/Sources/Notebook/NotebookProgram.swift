import ArgumentParser

@main
struct NotebookProgram: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "notebook",
    abstract: "Keep notes.",
    discussion: """
      Everything is in one file, notebook.db unless --db or $NOTEBOOK_DB says otherwise. Any number of these programs may \
      have it open at the same time.
      """,
    subcommands: [
      AddCommand.self, ListCommand.self, SearchCommand.self, ShowCommand.self, WatchCommand.self, StatsCommand.self,
      TagCommand.self, PinCommand.self, DeleteCommand.self, UseCommand.self, SettingsCommand.self, SetCommand.self,
      ImportDefaultsCommand.self, ReplacedCommand.self,
    ])
}
