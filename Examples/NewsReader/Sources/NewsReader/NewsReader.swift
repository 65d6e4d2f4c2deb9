import ArgumentParser

@main
struct NewsReader: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "newsreader",
    abstract: "Keep feeds and their articles, and what of them is read.",
    discussion: """
      Everything is in one file, news.db unless --db or $NEWSREADER_DB says otherwise. Any number of these programs may \
      have it open at the same time.
      """,
    subcommands: [
      AddCommand.self, ListCommand.self, ReadCommand.self, CountsCommand.self, RemoveCommand.self, PrefsCommand.self,
    ])
}
