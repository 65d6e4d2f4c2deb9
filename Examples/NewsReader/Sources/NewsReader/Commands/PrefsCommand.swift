import ArgumentParser

struct PrefsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefs",
    abstract: "Show the preferences, or change one.",
    discussion: "Other programs see a change at once: a live list shows as many articles as it is told to.")

  @OptionGroup var options: StoreOptions

  @Option(help: "How many articles `list` shows.")
  var limit: Int?

  @Option(help: "Whether `list` shows dates: true or false.")
  var dates: Bool?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("a list shows at least one article") }
  }

  func run() async throws {
    try await options.withStore { store in
      let preferences = store.workspace.dictionary.preferences
      if let limit { preferences[.limit] = limit }
      if let dates { preferences[.dates] = dates }
      print("limit: \(preferences[.limit])")
      print("dates: \(preferences[.dates])")
    }
  }
}
