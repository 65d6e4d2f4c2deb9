import DflatKV
import TestSupport
import Testing

@testable import DflatCore

/// A8: A cold load that races with a commit never puts the older value into the cache.
@Suite struct ColdLoadTests {
  /// A change of "k" that races with a load.
  struct Rival: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The value of "k" after the change.
    let leaves: Int?
    var cacheLimit = SQLiteWorkspace.CacheLimit.unlimited
    let change: @Sendable (TestWorkspace) throws -> Void

    private static func elsewhere(
      _ testDescription: String, leaves: Int?, _ change: @escaping @Sendable (WorkspaceDictionary) -> Void
    ) -> Rival {
      Rival(testDescription: testDescription, leaves: leaves) { test in
        let other = try test.another()
        try other.workspace.transactAndWait { change($0.dictionary) }
        other.workspace.shutdown()
        try test.core.checkForCommits()
      }
    }

    static let transaction = Rival(testDescription: "a transaction", leaves: 2) { test in
      try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    }
    static let clear = Rival(testDescription: "a removal of everything", leaves: nil) { $0.dictionary.removeAll() }
    static let external = elsewhere("another workspace's write", leaves: 2) { $0["k"] = 2 }

    static let all = [
      transaction, clear, external,
      Rival(testDescription: "a plain write", leaves: 2) { $0.dictionary["k"] = 2 },
      Rival(testDescription: "a removal", leaves: nil) { $0.dictionary["k"] = nil },
      Rival(testDescription: "a removal of a prefix", leaves: nil) { test in
        try test.workspace.transactAndWait { $0.dictionary.removeAll(withPrefix: "k") }
      },
      Rival(testDescription: "a write that is evicted", leaves: 2, cacheLimit: .entries(64)) { test in
        test.dictionary["k"] = 2
        try test.dictionary.synchronize()
        for number in 0..<1_000 { test.dictionary["filler\(number)"] = number }
      },
      elsewhere("another workspace's removal", leaves: nil) { $0["k"] = nil },
      elsewhere("another workspace's removal of everything", leaves: nil) { $0.removeAll() },
      elsewhere("another workspace's commit of more keys than a row of the change log names", leaves: 2) { dictionary in
        dictionary.setMoreKeysThanARecordNames()
        dictionary["k"] = 2
      },
    ]
  }

  /// Returns a workspace that has "k" = 1 in its file and nothing in its cache.
  private func coldWorkspace(_ limit: SQLiteWorkspace.CacheLimit = .unlimited) throws -> TestWorkspace {
    let test = try TestWorkspace {
      $0.cacheLimit = limit
      // Polling for commits would take readers from the pool, with the views that they keep.
      $0.followsOtherProcesses = false
    }
    let writer = try test.another()
    writer.dictionary["k"] = 1
    try writer.dictionary.synchronize()
    writer.workspace.shutdown()
    try test.core.checkForCommits()
    return test
  }

  private func commit(_ rival: Rival, in test: TestWorkspace) throws {
    try rival.change(test)
    try test.dictionary.synchronize()
  }

  @Test("A8: A load that a commit overtakes leaves no older value in the cache", arguments: Rival.all)
  func commitBetween(rival: Rival) throws {
    // reader:  loads k = 1 ─ stops                     ─ fills?
    // rival:                        k = 2, published
    let test = try coldWorkspace(rival.cacheLimit)
    let stop = Stop(at: .loadedBeforeFill, in: test)
    let reader = BackgroundThread { test.dictionary["k", Int.self] }
    try stop.wait()
    try commit(rival, in: test)
    stop.resume()
    let seen = try reader.join()
    #expect(seen == 1 || seen == rival.leaves)
    #expect(test.dictionary["k", Int.self] == rival.leaves)
    #expect(test.dictionary["k", Int.self] == rival.leaves)
  }

  @Test(
    "A8: A load in a snapshot that is older than the cache leaves no older value in it",
    arguments: [Rival.transaction, .clear, .external])
  func snapshotLoads(rival: Rival) throws {
    // snapshot:  pinned                    reads k = 1, fills?
    // rival:             k = 2, published
    let test = try coldWorkspace()
    try test.workspace.fetchWithinASnapshot {
      try BackgroundThread { try commit(rival, in: test) }.join()
      #expect(test.dictionary["k", Int.self] == 1)
      #expect(test.dictionary["k", Int.self] == 1)
    }
    #expect(test.dictionary["k", Int.self] == rival.leaves)
  }

  @Test("A8: A load in a transaction caches the committed value, not the transaction's own")
  func transactionLoads() throws {
    let test = try coldWorkspace()
    #expect(throws: WorkspaceError.self) {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["k"] = 3
        #expect(transaction.dictionary["k", Int.self] == 3)
        transaction.abort()
      }
    }
    #expect(test.dictionary["k", Int.self] == 1)
    try test.workspace.transactAndWait { transaction in
      #expect(transaction.dictionary["k", Int.self] == 1)
      transaction.dictionary.removeAll()
      #expect(transaction.dictionary["k", Int.self] == nil)
    }
    #expect(test.dictionary["k", Int.self] == nil)
  }

  @Test("A8: A reader sees a plain write made between its load and its fill of the cache")
  func overlayBetween() throws {
    // reader:  loads k = 1 ─ stops               ─ fills, sees the overlay
    // writer:                       k = 2, waits
    let test = try coldWorkspace()
    let stop = Stop(at: .loadedBeforeFill, in: test)
    let reader = BackgroundThread { test.dictionary["k", Int.self] }
    try stop.wait()
    let writeToken = try HeldWriteToken(test)
    test.dictionary["k"] = 2
    stop.resume()
    #expect(try reader.join() == 2)
    #expect(test.workspace.fetchWithinASnapshot { test.dictionary["k", Int.self] } == 1)
    try writeToken.end()
    try test.dictionary.synchronize()
    #expect(test.dictionary["k", Int.self] == 2)
  }

  @Test("A5: A reader that has seen a commit in the file sees no older value afterwards")
  func unpublishedCommit() throws {
    // writer:  a = b = 2, COMMIT ─ stops                                  ─ publishes
    // reader:                        renews its view, which shows it ─ …        reads b (cold), then a (cached as 1)
    let test = try TestWorkspace()
    let other = try test.another()
    try other.workspace.transactAndWait { transaction in
      transaction.dictionary["a"] = 1
      transaction.dictionary["b"] = 1
    }
    other.workspace.shutdown()
    try test.core.checkForCommits()
    #expect(test.dictionary["a", Int.self] == 1)
    test.core.readers.releaseViews()
    let committed = Stop(at: .committedBeforePublish, in: test)
    let writer = BackgroundThread {
      try test.workspace.transactAndWait { transaction in
        transaction.dictionary["unrelated"] = 2
        transaction.dictionary["a"] = 2
      }
    }
    try committed.wait()
    let renewed = Stop(at: .renewedView, in: test)
    let reader = BackgroundThread { () -> (Int?, Int?) in
      let seen = EventLog<Int?>()
      // A cold key, so that it is read in a view that shows the commit.
      seen.append(test.dictionary["unrelated", Int.self])
      seen.append(test.dictionary["a", Int.self])
      return (seen.events[0], seen.events[1])
    }
    try renewed.wait()
    renewed.resume()
    committed.resume()
    let (unrelated, a) = try reader.join()
    try writer.join()
    #expect(unrelated == 2)
    #expect(a == 2)
  }

  @Test("A5: A cold read during a publication does not use an older view") func besidePublication() throws {
    // writer:  removes k, COMMIT, moves the cache ─ stops                    ─ publishes
    // readers:                                            read k, list keys
    let test = try coldWorkspace()
    // Before the COMMIT a pooled reader takes a view and keeps it: the last view without the commit.
    Failpoint.beforeCommit.arm(in: test.core) { _ = test.dictionary.contains("another") }
    defer { Failpoint.beforeCommit.arm(in: test.core, nil) }
    test.dictionary.removeAll(withPrefix: "k")
    let moved = Stop(at: .movedBeforePublished, in: test)
    let writer = BackgroundThread { try test.dictionary.synchronize() }
    try moved.wait()
    let began = EventLog<Void>()
    let readers = [
      BackgroundThread {
        began.append(())
        return test.dictionary.contains("k")
      },
      BackgroundThread {
        began.append(())
        return test.dictionary.keys == ["k"]
      },
    ]
    try began.wait(forCount: 2)
    // The readers may wait for the publication, and the test can't ask whether they do. It lets the publication go on
    // when a third reader is about to wait as well, or has finished.
    let renewed = Stop(at: .renewedView, in: test)
    let third = BackgroundThread { test.dictionary.contains("third") }
    try renewed.wait()
    renewed.resume()
    moved.resume()
    try writer.join()
    for reader in readers { #expect(try reader.join() == false) }
    #expect(try third.join() == false)
  }
}
