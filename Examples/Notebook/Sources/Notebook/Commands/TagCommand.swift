import ArgumentParser

struct TagCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "tag", abstract: "Add tags to notes.")

  @OptionGroup var options: StoreOptions
  @OptionGroup var notes: NumberArguments

  @Option(name: .customLong("with"), help: "A tag; may be given several times.")
  var tags: [String]

  func run() async throws {
    let count = try await options.withStore { try await $0.tag(notes.number, with: tags) }
    print("\(count.notes) tagged")
  }
}
