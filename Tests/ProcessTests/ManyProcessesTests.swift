import DflatKV
import Foundation
import TestSupport
import Testing

/// Several processes on one file, for some thousands of commits.
@Suite struct ManyProcessesTests {
  private static let keys = ["a", "b", "c"].flatMap { ["w.\($0)", "x.\($0)", "y.\($0)"] }

  /// Observers of the run: a process, and two workspaces of this one.
  private struct Watchers {
    let process: ChildProcess
    let here: [(workspace: SQLiteWorkspace, seen: EventLog<DictionaryChange>, keyed: EventLog<DictionaryChange>)]
    private let subscriptions: [WorkspaceSubscription]

    init(_ path: String) throws {
      process = try worker("observe", [path] + keys)
      var subscriptions: [WorkspaceSubscription] = []
      here = try (0..<2).map { _ in
        let workspace = try SQLiteWorkspace.open(filePath: path)
        let seen = EventLog<DictionaryChange>()
        let keyed = EventLog<DictionaryChange>()
        subscriptions.append(workspace.dictionary.subscribe(withPrefix: "") { seen.append($0) })
        for key in keys { subscriptions.append(workspace.dictionary.subscribe(key) { keyed.append($0) }) }
        return (workspace, seen, keyed)
      }
      self.subscriptions = subscriptions
    }
  }

  //  writer a    ──plain──plain──plain──…──────────────────▶ cache
  //  writer b    ──transaction──transaction──…─────────────▶ cache
  //  writer c    ──mixed──…──SIGKILL   ──mixed──…──────────▶ cache        all the same as
  //  observer    ──each commit, no gap, none twice─────────▶ cache        what the file holds
  //  workspace 1 ──the same────────────────────────────────▶ cache
  //  workspace 2 ──the same, and commits the last, `end`───▶ cache
  @Test("A4, A9: Observers miss no commit and caches equal the file, though a writer is killed")
  func writersObserversAndAKill() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file()
    let watchers = try Watchers(path)
    try watchers.process.readUntil(line: "ready")
    let count = 700
    func writer(_ name: String, _ style: String) throws -> ChildProcess {
      try worker("write", [path, name, "\(count)", style] + Self.keys)
    }
    let killed = try writer("c", "mixed")
    let writers = [try writer("a", "plain"), try writer("b", "transactions")]
    for process in [killed] + writers { try process.readUntil(line: "ready") }
    for process in [killed] + writers { try process.write("go") }
    try killed.readUntil { Int($0) ?? 0 >= count / 3 }
    killed.kill()
    try killed.wait()
    let restarted = try writer("c", "mixed")
    try restarted.readUntil(line: "ready")
    try restarted.write("go")
    for process in writers + [restarted] { try process.readUntil(line: "finished") }
    let last = try end(watchers)

    let file = try contents(of: path)
    for key in Self.keys where key != "x.a" && key != "y.a" {
      #expect(file[key] ?? 0 >= count - 1, "\(key) is \(file[key] as Any)")
    }
    for process in writers + [restarted] { expect(cache(in: try process.remainingLines()), equals: file, "a writer") }
    let lines = try watchers.process.remainingLines()
    expect(cache(in: lines), equals: file, "the observer process")
    expect(
      ObservedChanges(lines, source: "prefix"), ObservedChanges(lines, source: "key"), file, last,
      "the observer process")
    for (workspace, seen, keyed) in watchers.here {
      for key in Self.keys { #expect(workspace.dictionary[key, default: 0] == file[key] ?? 0) }
      expect(ObservedChanges(seen.events), ObservedChanges(keyed.events), file, last, "a workspace of this process")
      workspace.shutdown()
    }
  }

  /// Makes the last commit, and waits until the observers of this process have seen it.
  private func end(_ watchers: Watchers) throws -> UInt64 {
    let ending = try #require(watchers.here.last).workspace
    try ending.transactAndWait { $0.dictionary["end"] = 1 }
    for (_, seen, _) in watchers.here { try seen.wait { $0.last?.key == "end" } }
    return ending.commitNumber
  }

  private func contents(of path: String) throws -> [String: Int] {
    let workspace = try SQLiteWorkspace.open(filePath: path)
    defer { workspace.shutdown() }
    #expect(try workspace.checkIntegrity() == [])
    var contents: [String: Int] = [:]
    for entry in try workspace.dictionary.entries() {
      guard case .int(let value) = entry.value else { continue }
      contents[entry.key] = Int(value)
    }
    return contents
  }

  private func expect(_ cache: [String: Int], equals file: [String: Int], _ who: String) {
    for key in Self.keys { #expect(cache[key] == file[key] ?? 0, "Key \(key) has another value in \(who)") }
  }

  private func expect(
    _ seen: ObservedChanges, _ keyed: ObservedChanges, _ file: [String: Int], _ last: UInt64, _ who: String
  ) {
    seen.expectOrder(who)
    seen.expectGapless(1...last, who)
    #expect(seen.outcome == file, "The changes seen by \(who) do not lead to the file's contents")
    for key in Self.keys {
      if key.hasPrefix("w") { seen.expectCounting(key, who) }
      #expect(keyed.of(key) == seen.of(key), "The observer of \(key) in \(who) got other changes")
    }
    // A1: The keys of a transaction change in one commit, to one value.
    for name in ["a", "b", "c"] {
      let whole = seen.of("x." + name)
      #expect(whole.map(\.value) == seen.of("y." + name).map(\.value))
      #expect(whole.map(\.commit) == seen.of("y." + name).map(\.commit))
      let numbers = Dictionary(uniqueKeysWithValues: seen.of("w." + name).map { ($0.commit, $0.value) })
      #expect(whole.allSatisfy { numbers[$0.commit] == $0.value })
    }
  }
}
