import ArgumentParser

struct CountsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counts",
    abstract: "Show how many unread articles each feed has.")

  @OptionGroup var options: StoreOptions

  func run() async throws {
    try await options.withStore { store in
      for (feed, unread) in store.counts() {
        print("\(feed.name): \(unread) (\(feed.title ?? "untitled"))")
      }
    }
  }
}
