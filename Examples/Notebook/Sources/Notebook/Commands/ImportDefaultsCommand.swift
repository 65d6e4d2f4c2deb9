import ArgumentParser
import DflatUserDefaults

struct ImportDefaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import-defaults", abstract: "Import, once, the preferences that release 1 keeps in UserDefaults.")

  @OptionGroup var options: StoreOptions

  func run() async throws {
    guard let transfer = try await options.withStore({ try await $0.importDefaults() }) else {
      return print("imported before")
    }
    for key in transfer.written { print("\(key): imported") }
    for key in transfer.kept { print("\(key): kept, as it has a value") }
    for problem in transfer.skipped { print(problem) }
  }
}
