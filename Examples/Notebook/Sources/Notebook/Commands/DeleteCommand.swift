import ArgumentParser

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete notes.")

  @OptionGroup var options: StoreOptions
  @OptionGroup var notes: NumberArguments

  func run() async throws {
    let count = try await options.withStore { try await $0.delete(notes.number) }
    print("\(count.notes) deleted")
  }
}
