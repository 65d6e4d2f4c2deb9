import ArgumentParser

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "stats", abstract: "Count the notes.")

  @OptionGroup var options: StoreOptions

  func run() async throws {
    let statistics = try await options.withStore { try $0.statistics() }
    print("\(statistics.notes.notes) in \(statistics.notebooks) notebooks, \(statistics.pinned) pinned")
    if let first = statistics.firstDay, let last = statistics.lastDay { print("from \(first) to \(last)") }
    for (notebook, count) in statistics.byNotebook { print("\(notebook): \(count)") }
  }
}
