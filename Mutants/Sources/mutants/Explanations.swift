import Foundation

/// The reasons why surviving mutations don't indicate missing tests, from `Mutants/survivors.txt`. Each entry starts
/// with a line that names the mutation as a run prints it, followed by indented lines of prose.
struct Explanations {
  private var names: Set<String> = []

  init(url: URL) {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return }
    for line in text.split(separator: "\n") where !line.hasPrefix(" ") && !line.hasPrefix("#") {
      names.insert(String(line))
    }
  }

  func covers(_ mutation: Mutation) -> Bool { names.contains(mutation.name) }
}
