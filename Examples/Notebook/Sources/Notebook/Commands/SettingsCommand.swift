import ArgumentParser
import DflatKV

extension Theme: ExpressibleByArgument {}
extension TagStyle: ExpressibleByArgument {}

struct SettingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Show the settings, or change some of them.")

  @OptionGroup var options: StoreOptions

  @Option(help: "The colors on a terminal: light or dark.")
  var theme: Theme?

  @Option(help: "The maximum number of notes in a list.")
  var pageSize: Int?

  @Option(help: "The number of words that `search` shows around a match.")
  var snippetWords: Int?

  @Option(help: "How lists show tags: hashtags, brackets or hidden.")
  var tags: TagStyle?

  func validate() throws {
    if let pageSize, pageSize < 1 { throw ValidationError("a list shows at least one note") }
    if let snippetWords, !(1...64).contains(snippetWords) { throw ValidationError("a snippet has 1 to 64 words") }
  }

  func run() async throws {
    try await options.withStore { store in
      let preferences = store.preferences
      try store.workspace.transactAndWait { txn in
        try change(&txn.dictionary[.settings])
      }
      if let tags { preferences.tagStyle = tags }
      let settings = preferences.settings
      print("theme: \(settings.theme)")
      print("page size: \(settings.pageSize)")
      print("snippet words: \(settings.snippetWords)")
      print("tags: \(preferences.tagStyle)")
    }
  }
}
