import ArgumentParser

struct PinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "pin", abstract: "Pin notes.")

  @OptionGroup var options: StoreOptions
  @OptionGroup var notes: NumberArguments

  @Flag(help: "Remove the pins.")
  var remove = false

  func run() async throws {
    let count = try await options.withStore { try await $0.setPinned(!remove, notes.number) }
    print("\(count.notes) \(remove ? "unpinned" : "pinned")")
  }
}
