import ArgumentParser
import DflatKV
import Foundation

@main
struct StarWars: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "starwars",
    abstract: "Fetch characters and films with GraphQL, and keep them.",
    discussion: """
      Everything is in one file, starwars.db unless $STARWARS_DB says otherwise. Any number of these programs may have it \
      open at the same time. The server is at http://127.0.0.1:8000 unless $STARWARS_SERVER says otherwise.
      """,
    subcommands: [FetchCommand.self, FilmCommand.self, RenameCommand.self, ListCommand.self])

  static func openWorkspace() throws -> SQLiteWorkspace {
    try SQLiteWorkspace.open(filePath: ProcessInfo.processInfo.environment["STARWARS_DB"] ?? "starwars.db")
  }
}
