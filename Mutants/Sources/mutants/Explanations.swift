import Foundation

/// Why mutations that survive are no missing tests: `Mutants/survivors.txt`. Each begins with a line that names the mutation as
/// the run prints it, followed by indented lines of prose.
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
