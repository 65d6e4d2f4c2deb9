import DflatKV
import Foundation
import TestSupport
import Testing

/// Processes that compete for the same lock.
@Suite struct ContentionTests {
  //  process 1  ──counter += 1──counter += 1──…  2,000 times
  //  process 2  ──counter += 1──counter += 1──…  2,000 times
  @Test("A1, A3: Two processes that increment one counter lose no increment")
  func oneCounter() throws {
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let seen = EventLog<DictionaryChange>()
    let subscription = workspace.dictionary.subscribe("counter") { seen.append($0) }
    let children = try (0..<2).map { _ in try worker("count", folder.file(), "2000") }
    for child in children { try child.readUntil(line: "ready") }
    for child in children { try child.write("go") }
    for child in children { try child.readUntil(line: "finished") }
    #expect(try workspace.transactAndWait { $0.dictionary["counter", Int.self] } == 4_000)
    try seen.wait { (try? $0.last?.value(as: Int.self)) == 4_000 }
    let history = ObservedChanges(seen.events)
    history.expectOrder("the observer")
    history.expectCounting("counter", "the observer")
    history.expectGapless(1...4_000, "the observer")
    subscription.cancel()
    workspace.shutdown()
  }

  //  child  ──BEGIN──holds the lock────────────────────released──▶
  //  test            ──transaction: busy, plain write: busy     ──both work
  @Test("A7: A lock held past the busy timeout gives .busy and leaves nothing behind")
  func heldPastTheTimeout() throws {
    let folder = try TemporaryDirectory()
    var options = SQLiteWorkspace.Options()
    options.busyTimeout = .milliseconds(20)
    let reported = EventLog<WorkspaceError.Code>()
    options.errorHandler = { reported.append($0.code) }
    let workspace = try SQLiteWorkspace.open(filePath: folder.file(), options: options)
    let dictionary = workspace.dictionary
    dictionary["plain"] = 1
    try dictionary.synchronize()
    let holder = try worker("hold", folder.file())
    try holder.readUntil(line: "held")

    expect(.busy) {
      try workspace.transactAndWait { $0.dictionary["transaction"] = 1 }
    }
    dictionary["plain"] = 2
    expect(.busy) { try dictionary.synchronize() }
    try reported.wait(forCount: 1)
    #expect(reported.events == [.busy])
    #expect(dictionary["plain"] == 1)
    #expect(dictionary["transaction", Int.self] == nil)
    #expect(workspace.fetchWithinASnapshot { dictionary["plain", Int.self] } == 1)

    try holder.write("go")
    #expect(try holder.wait() == .exit(0))
    dictionary["plain"] = 3
    try dictionary.synchronize()
    try workspace.transactAndWait { $0.dictionary["transaction"] = 4 }
    #expect(dictionary["plain"] == 3)
    #expect(dictionary["transaction"] == 4)
    #expect(dictionary["held"] == 1)
    workspace.shutdown()
  }

  //  child  ──1──COMMIT──[committedBeforePublish]────────1, as its cache has it──▶ published──committed
  //  test                                           ──2
  @Test("A7: A plain write of the value that a stale cache shows is not dropped")
  func writtenOverAStaleCache() throws {
    struct Setting: Codable, Equatable, Sendable { var mode: String }
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let dictionary = workspace.dictionary
    let child = try worker("stale", folder.file())
    try child.readUntil(line: "stopped")
    try workspace.transactAndWait { transaction in
      transaction.dictionary["native"] = 2
      transaction.dictionary["codable"] = Setting(mode: "theirs")
    }
    try child.write("go")
    #expect(try child.remainingLines() == ["1 mine"])
    workspace.fetchWithinASnapshot {
      #expect(dictionary["native"] == 1)
      #expect(dictionary["codable", Setting.self] == Setting(mode: "mine"))
    }
    workspace.shutdown()
  }

  private func expect(_ code: WorkspaceError.Code, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("No error was thrown")
    } catch { #expect((error as? WorkspaceError)?.code == code) }
  }
}
