import ArgumentParser
import DflatKV

struct ReplacedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replaced",
    abstract: "Show the preferences that a program has overwritten with a value of another type, newest first.")

  @OptionGroup var options: StoreOptions

  @Option(help: "Put the newest of these values of a key back.")
  var restore: String?

  func run() async throws {
    try await options.withStore { store in
      let dictionary = store.workspace.dictionary
      var replaced = try dictionary.replacedValues(inAllNamespaces: true)
      if let restore {
        guard let newest = replaced.first(where: { $0.key == restore }) else {
          throw NotebookError(description: "no value of \(restore) was replaced")
        }
        try await dictionary.restoreReplacedValue(newest.id)
        replaced = try dictionary.replacedValues(inAllNamespaces: true)
      }
      for value in replaced { print("\(value.key): \(value.text)") }
    }
  }
}

extension ReplacedValue {
  fileprivate var text: String {
    switch value {
    case .string(let text)?: text
    case .bool(let isTrue)?: "\(isTrue)"
    case let other?: "\(other.kind.rawValue) of \(byteCount) bytes"
    case nil: "a value of a newer program"
    }
  }
}
