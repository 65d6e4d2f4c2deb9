import DflatKV
import Foundation
import TestSupport
import Testing

/// Effects of a process that dies at a bad moment on other processes.
@Suite struct DeathTests {
  //  child  ──BEGIN──holds the lock──✕
  //  test                  ──plain write, transaction: wait──▶ commit
  @Test("A1, A10: A process killed inside a transaction leaves no trace and frees its lock")
  func killedInsideATransaction() throws {
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let seen = EventLog<DictionaryChange>()
    let subscription = workspace.dictionary.subscribe(withPrefix: "") { seen.append($0) }
    let holder = try worker("hold", folder.file())
    try holder.readUntil(line: "held")
    workspace.dictionary["plain"] = 1
    let waiting = BackgroundThread { try workspace.transactAndWait { $0.dictionary["transaction"] = 2 } }
    holder.kill()
    #expect(try holder.wait() == .signal(SIGKILL))
    try waiting.join()
    try workspace.dictionary.synchronize()
    try seen.wait(forCount: 2)
    #expect(ObservedChanges(seen.events).outcome == ["plain": 1, "transaction": 2])
    #expect(workspace.dictionary.keys == ["plain", "transaction"])
    #expect(try workspace.checkIntegrity() == [])
    subscription.cancel()
    workspace.shutdown()
  }

  //  child     ──COMMIT──✕ before it moves its cache, or before it touches the side file
  //  observer                ──learns of it all the same
  @Test(
    "A9: Other processes learn of a commit whose process died before it woke them",
    arguments: ["committedBeforePublish", "publishedBeforeTouch"])
  func diedBeforeItWokeAnybody(failpoint: String) throws {
    let folder = try TemporaryDirectory()
    let workspace = try SQLiteWorkspace.open(filePath: folder.file())
    let seen = EventLog<DictionaryChange>()
    let subscription = workspace.dictionary.subscribe(withPrefix: "") { seen.append($0) }
    let child = try worker("crash", folder.file(), "0", failpoint, "1")
    #expect(try child.wait() == .signal(SIGKILL))
    let events = try seen.wait { $0.count >= 1 }
    #expect(events.first?.commitNumber == 1)
    #expect(workspace.commitNumber == 1)
    subscription.cancel()
    workspace.shutdown()
  }
}
