import ArgumentParser
import DflatKV

extension Theme: ExpressibleByArgument {}
extension TagStyle: ExpressibleByArgument {}

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change settings.", discussion: "Other programs see a change at once.")

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
    let (newTheme, newSize, newWords) = (theme, pageSize, snippetWords)
    try await options.withStore { store in
      // `update` is a transaction, so two programs that change different settings don't undo each other's change.
      try await store.workspace.dictionary.update(.settings) { settings in
        settings.theme = newTheme ?? settings.theme
        settings.pageSize = newSize ?? settings.pageSize
        settings.snippetWords = newWords ?? settings.snippetWords
      }
      // A plain write. Closing the store commits it.
      if let tags { store.preferences.tagStyle = tags }
      print(store.preferences.description)
    }
  }
}
