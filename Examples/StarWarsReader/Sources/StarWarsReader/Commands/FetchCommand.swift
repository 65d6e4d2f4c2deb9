import ArgumentParser

struct FetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "fetch", abstract: "Fetch the heroes, and their films.")

  @Option(help: "Only those of one film.")
  var episode: Int32?

  func run() async throws {
    let stored = try await Server.store(
      HeroesQuery.self, variables: ["episode": episode], in: StarWars.openWorkspace())
    print(stored.summary)
  }
}
