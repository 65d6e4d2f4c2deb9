import ArgumentParser

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show notes as `list` does, and again each time that they have changed, until interrupted.",
    discussion: "It doesn't matter which program changes the notes or the settings.")

  @OptionGroup var options: StoreOptions
  @OptionGroup var selection: FilterOptions

  func run() async throws {
    let filter = selection.filter
    try await options.withStore { store in
      let screen = Screen(isLive: true)
      try await LivePage(filter, in: store).run { screen.show($0) }
    }
  }
}
