import ArgumentParser

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Rename a character, on the server and here.")

  @Argument var id: String
  @Argument var name: String

  func run() async throws {
    let stored = try await Server.store(
      RenameMutation.self, variables: ["id": id, "name": name], in: StarWars.openWorkspace())
    print(stored.summary)
  }
}
