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

  // MARK: Views of the replaced file

  @Test("A8: A snapshot that is open meanwhile leaves none of its values in the cache") func snapshotAcross() throws {
    try test.workspace.fetchWithinASnapshot {
      let thread = BackgroundThread {
        try bringBackCommitOne()
        // The commits have the numbers of the snapshot's file again.
        for value in 1...4 { try test.workspace.transactAndWait { $0.dictionary["other"] = value } }
      }
      try thread.join()
      #expect(test.dictionary["changed"] == 2)
      #expect(test.dictionary["added"] == 3)
    }
    #expect(test.dictionary["changed"] == 1)
    #expect(test.dictionary["added", Int.self] == nil)
  }

  @Test("A6: A snapshot that is open meanwhile reads no value of the older file from the cache") func snapshotStays()
    throws
  {
    try test.workspace.fetchWithinASnapshot {
      let thread = BackgroundThread {
        try bringBackCommitOne()
        for value in 1...4 { try test.workspace.transactAndWait { $0.dictionary["other"] = value } }
        // Cached, with an older commit's number than the snapshot's.
        #expect(test.dictionary["changed"] == 1)
      }
      try thread.join()
      #expect(test.dictionary["changed"] == 2)
    }
  }

  @Test("A8: The open view of an idle reader doesn't answer when the numbers agree again") func idleView() throws {
    let reader = try test.core.readers.take()
    let view = try reader.renew(in: test.core.publication.epoch)
    #expect(view == 4)
    try bringBackCommitOne()
    for value in 1...3 { try test.workspace.transactAndWait { $0.dictionary["other"] = value } }
    #expect(test.core.publication.published == 4)
    test.core.readers.giveBack(reader)
    // This thread takes the same reader.
    #expect(test.dictionary["changed"] == 1)
    #expect(test.dictionary["added", Int.self] == nil)
  }
}
