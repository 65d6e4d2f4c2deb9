import ArgumentParser

struct RemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a feed with all its articles.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The feed's name.")
  var feed: String

  func run() async throws {
    let count = try await options.withStore { try await $0.remove(feed) }
    guard let count else { throw NewsError(description: "there is no feed \(feed)") }
    print("\(feed): removed with \(count) articles")
  }
}
