import ArgumentParser
import DflatKV

struct UseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use", abstract: "Choose the notebook of new notes; without a name, none.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The notebook's name.")
  var notebook: String?

  func run() async throws {
    let current = try await options.withStore { store in
      let preferences = store.preferences
      if let notebook { preferences.current = notebook } else { preferences.$current.reset() }
      return preferences.current  // this program sees its write at once
    }
    print("new notes go to \(current ?? "inbox")")
  }
}
