import Foundation

/// The verdict on each mutation, stored as one line of JSON each, so that a run of hours can be interrupted and
/// resumed.
///
/// Names identify mutations, so results stay valid when other parts of a file change.
struct Results {
  struct Entry: Codable {
    let mutation: Mutation
    let verdict: Judge.Verdict
    /// The test that noticed the mutation.
    let test: String?
    let seconds: Double
  }

  private let url: URL
  /// The entries by the mutation's name. Later lines of the file replace earlier ones.
  private(set) var entries: [String: Entry] = [:]

  init(url: URL) throws {
    self.url = url
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return }
    for line in text.split(separator: "\n") {
      let entry = try JSONDecoder().decode(Entry.self, from: Data(line.utf8))
      entries[entry.mutation.name] = entry
    }
  }

  mutating func append(_ entry: Entry) throws {
    entries[entry.mutation.name] = entry
    let line = try JSONEncoder().encode(entry) + Data("\n".utf8)
    if let handle = try? FileHandle(forWritingTo: url) {
      try handle.seekToEnd()
      try handle.write(contentsOf: line)
      try handle.close()
    } else {
      try line.write(to: url)
    }
  }

  func of(_ mutations: [Mutation]) -> [Entry] { mutations.compactMap { entries[$0.name] } }
}

extension [Results.Entry] {
  var survivors: [Results.Entry] { filter { [.survived, .unreached].contains($0.verdict) } }

  func count(_ verdict: Judge.Verdict) -> Int { count { $0.verdict == verdict } }
}
