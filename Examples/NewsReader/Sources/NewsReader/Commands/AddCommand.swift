import ArgumentParser

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Import feed files: what is new in them becomes unread articles.",
    discussion: """
      A file is a JSON Feed (jsonfeed.org). Each is one transaction: it is imported as a whole or not at all.
      """)

  @OptionGroup var options: StoreOptions

  @Argument(help: "The files; a file's name is its feed's.", completion: .file(extensions: ["json"]))
  var file: [String]

  func run() async throws {
    try await options.withStore { store in
      for path in file {
        let file = try FeedFile(path: path)
        let new = try await store.add(file)
        print("\(file.name): \(new) new of \(file.items.count)")
      }
    }
  }
}
