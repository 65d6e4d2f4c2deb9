import ArgumentParser

struct FilmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "film", abstract: "Fetch a film, and who is in it, with their friends.")

  @Argument var episode: Int32

  func run() async throws {
    let stored = try await Server.store(FilmQuery.self, variables: ["episode": episode], in: StarWars.openWorkspace())
    print(stored.summary)
  }
}
