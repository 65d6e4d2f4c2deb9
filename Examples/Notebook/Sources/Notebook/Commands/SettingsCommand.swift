import ArgumentParser

struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "settings", abstract: "Show the settings.")

  @OptionGroup var options: StoreOptions

  func run() async throws {
    print(try await options.withStore { $0.preferences.description })
  }
}
