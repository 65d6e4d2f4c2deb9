import ArgumentParser

struct ReadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read",
    abstract: "Mark articles as read.")

  @OptionGroup var options: StoreOptions

  @Argument(help: "The articles' numbers, as `list` shows them.")
  var number: [Int64] = []

  @Flag(help: "Mark all articles.")
  var all = false

  func validate() throws {
    guard number.isEmpty == all else { throw ValidationError("name articles by their numbers, or give --all") }
  }

  func run() async throws {
    let count = try await options.withStore { try await $0.markRead(all ? nil : number) }
    print(count == 1 ? "1 article marked" : "\(count) articles marked")
  }
}
