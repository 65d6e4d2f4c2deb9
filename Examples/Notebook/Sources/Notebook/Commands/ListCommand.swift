import ArgumentParser
import DflatKV

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show notes, the newest ones first.")

  @OptionGroup var options: StoreOptions
  @OptionGroup var selection: FilterOptions

  @Flag(help: "Show how the notes are found instead.")
  var explain = false

  func run() async throws {
    try await options.withStore { store in
      let (settings, tagStyle) = (store.preferences.settings, store.preferences.tagStyle)
      let query = selection.filter.applied(to: store.workspace.query(for: Note.self)).limit(settings.pageSize)
      guard !explain else { return print(try query.explain().access) }
      Screen().show(Page(notes: try query.fetch(), theme: settings.theme, tagStyle: tagStyle))
    }
  }
}
