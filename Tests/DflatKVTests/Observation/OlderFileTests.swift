import DflatKV
import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore

/// The content of an older file takes the place of an open one's, as when another program restores a backup into it.
@Suite struct OlderFileTests {
  private let test: TestWorkspace

  init() throws {
    test = try TestWorkspace { $0.followsOtherProcesses = false }
    // Commit 1 is the state that comes back.
    try test.workspace.transactAndWait { transaction in
      transaction.dictionary["same"] = 1
      transaction.dictionary["changed"] = 1
      transaction.dictionary["removed"] = 1
    }
    try test.workspace.transactAndWait { $0.dictionary["changed"] = 2 }
    try test.workspace.transactAndWait { $0.dictionary["added"] = 3 }
    try test.workspace.transactAndWait { $0.dictionary.removeValue(forKey: "removed") }
  }

  private func bringBackCommitOne() throws {
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    defer { connection.close() }
    try connection.execute(
      """
      BEGIN; DELETE FROM dflat_log WHERE commit_number > 1; DELETE FROM dictionary WHERE key = 'added';
      UPDATE dictionary SET value = 1, commit_number = 1 WHERE key = 'changed';
      INSERT INTO dictionary VALUES ('', 'removed', 2, 1, NULL, 1); COMMIT
      """)
    try test.core.checkForCommits()
    try test.settle()
  }

  @Test("A9: Reads show the older file") func reads() throws {
    for key in ["same", "changed", "removed", "added"] { _ = test.dictionary[key, Int.self] }
    try bringBackCommitOne()
    #expect(test.dictionary["same"] == 1)
    #expect(test.dictionary["changed"] == 1)
    #expect(test.dictionary["removed"] == 1)
    #expect(test.dictionary["added", Int.self] == nil)
    #expect(test.dictionary.keys == ["changed", "removed", "same"])
  }

  @Test("A4: Observers of keys receive what differs") func keys() throws {
    let keys = ["same", "changed", "removed", "added"]
    let logs = keys.map { _ in EventLog<SubscribedDictionaryValue<Int>>() }
    let subscriptions = zip(keys, logs).map { key, log in
      test.dictionary.subscribe(key, of: Int.self) { log.append($0) }
    }
    try bringBackCommitOne()
    #expect(
      logs.map(\.events) == [
        [.initial(1)], [.initial(2), .updated(1)], [.initial(nil), .updated(1)], [.initial(3), .deleted],
      ])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("A4: Observers of a prefix receive every key, because they don't know the values before") func prefix() throws {
    let log = EventLog<String>()
    let subscription = test.dictionary.subscribe(withPrefix: "") { change in
      log.append("\(change.key) \(change.value.map { "\($0)" } ?? "-")")
    }
    try bringBackCommitOne()
    #expect(log.events.sorted() == ["added -", "changed int(1)", "removed int(1)", "same int(1)"])
    subscription.cancel()
  }
}
