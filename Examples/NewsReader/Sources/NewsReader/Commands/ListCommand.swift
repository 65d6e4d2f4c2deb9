import ArgumentParser

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show the newest articles.",
    discussion: """
      With --live the list is shown anew each time that it has changed, whichever program changed it, until interrupted.
      """)

  @OptionGroup var options: StoreOptions

  @Flag(help: "Only what was not read yet.")
  var unread = false

  @Flag(help: "Go on showing it as it changes.")
  var live = false

  func run() async throws {
    try await options.withStore { store in
      let screen = Screen(isLive: live)
      guard live else { return screen.show(store.page(onlyUnread: unread)) }
      for await page in store.pages(onlyUnread: unread).values { screen.show(page) }
    }
  }
}
