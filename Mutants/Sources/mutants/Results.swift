import Foundation

/// What came of each mutation, a line of JSON each, so that a run of hours can be interrupted and goes on where it was.
struct Results {
  struct Entry: Codable {
    let mutation: Mutation
    let verdict: TestRun.Verdict
    let seconds: Double
  }

  private let url: URL
  private(set) var entries: [Entry] = []

  init(url: URL) throws {
    self.url = url
    guard let text = try? String(contentsOf: url, encoding: .utf8) else { return }
    entries = try text.split(separator: "\n").map { try JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
  }

  mutating func append(_ entry: Entry) throws {
    entries.append(entry)
    let line = try JSONEncoder().encode(entry) + Data("\n".utf8)
    if let handle = try? FileHandle(forWritingTo: url) {
      try handle.seekToEnd()
      try handle.write(contentsOf: line)
      try handle.close()
    } else {
      try line.write(to: url)
    }
  }

  func contains(_ mutation: Mutation) -> Bool { entries.contains { $0.mutation == mutation } }

  var survivors: [Mutation] { entries.filter { $0.verdict == .survived }.map(\.mutation) }

  func count(_ verdict: TestRun.Verdict) -> Int { entries.count { $0.verdict == verdict } }
}
