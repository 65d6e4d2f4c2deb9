import ArgumentParser

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search titles and texts, the best matches first.",
    discussion: """
      All words have to occur, in any order. Write "a phrase" in quotes, wor* for words that begin like this, -word for a \
      word that must not occur, and OR between alternatives.
      """)

  @OptionGroup var options: StoreOptions

  @Argument(help: "The words, as one argument.")
  var words: String

  func run() async throws {
    let hits = try await options.withStore { try $0.search(words) }
    for hit in hits { print("\(hit.number) \(hit.title)\(hit.excerpt.map { ": \($0)" } ?? "")") }
    print("-- \(hits.count.notes)")
  }
}
