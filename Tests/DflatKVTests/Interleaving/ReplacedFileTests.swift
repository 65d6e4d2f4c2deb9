import Foundation
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// An older file replaces the open one, so commit numbers decrease.
@Suite struct ReplacedFileTests {
  /// Calls `body` with a workspace at commit 11, "k" = "new", and a function that replaces its file by an older one at
  /// commit 1, "k" = "old".
  private func replaceable(_ body: (TestWorkspace, _ replace: @escaping @Sendable () throws -> Void) throws -> Void)
    throws
  {
    let older = try TestWorkspace { $0.followsOtherProcesses = false }
    try older.workspace.transactAndWait { transaction in
      transaction.dictionary["k"] = "old"
      transaction.dictionary["cold"] = "old"
    }
    older.workspace.shutdown(flags: .truncate)
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    for number in 1...10 {
      try test.workspace.transactAndWait { $0.dictionary["k"] = number == 10 ? "new" : "\(number)" }
    }
    let writer = try test.another { $0.followsOtherProcesses = false }
    try writer.workspace.transactAndWait { $0.dictionary["cold"] = "new" }
    writer.workspace.shutdown()
    try test.core.checkForCommits()
    try body(test) {
      let (new, old) = (test.directory.file(), older.directory.file())
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: new + suffix) }
      try FileManager.default.moveItem(atPath: new, toPath: new + ".aside")
      try FileManager.default.copyItem(atPath: old, toPath: new)
      test.core.readers.dropIdle()
      try test.core.checkForCommits()
    }
  }

  @Test("A6: A snapshot keeps reading its own file after another file replaces it") func snapshot() throws {
    try replaceable { test, replace in
      try test.workspace.fetchWithinASnapshot {
        #expect(test.dictionary["k"] == "new")
        // Another thread reads outside the snapshot.
        try BackgroundThread {
          try replace()
          #expect(test.dictionary["k"] == "old")
        }.join()
        #expect(test.core.publication.published == 1)
        #expect(test.dictionary["k"] == "new")
        #expect(test.dictionary["cold"] == "new")
      }
      // The cache holds none of the snapshot's values for the new file. The snapshot's reader has the old file open.
      test.core.readers.dropIdle()
      #expect(test.dictionary["cold"] == "old")
    }
  }

  @Test("A8: A load from a replaced file is not cached for the new file") func load() throws {
    try replaceable { test, replace in
      let stop = Stop(at: .loadedBeforeFill, in: test)
      let reader = BackgroundThread { test.dictionary["cold", String.self] }
      try stop.wait()
      try replace()
      stop.resume()
      #expect(try reader.join() == "new")
      #expect(test.dictionary["cold"] == "old")
    }
  }

  @Test("A2: A transaction whose file is replaced before its commit is undone and runs again")
  func transaction() throws {
    try replaceable { test, replace in
      var runs = 0
      try test.workspace.transactAndWait { transaction in
        runs += 1
        #expect(transaction.dictionary["k"] == (runs == 1 ? "new" : "old"))
        transaction.dictionary["mine"] = runs
        // Another thread reads outside the transaction.
        if runs == 1 { try BackgroundThread { try replace() }.join() }
      }
      #expect(runs == 2)
      #expect(test.dictionary["k"] == "old")
      #expect(test.dictionary["mine"] == 2)
      #expect(test.workspace.commitNumber == 2)
      let other = try test.another { $0.followsOtherProcesses = false }
      #expect(other.dictionary["mine"] == 2)
    }
  }

  @Test("Loads are cached again after commit numbers decrease") func cachedAgain() throws {
    try replaceable { test, replace in
      // Another workspace's commit of "cold", which is not cached, raised its shard's oldest cacheable commit.
      try replace()
      #expect(test.dictionary["cold"] == "old")
      let store = DictionaryStore.of(test.core)
      let key = HashedKey("cold", namespace: 0)
      #expect(store.shards.withShard(of: key) { $0.committed[key] != nil })
    }
  }
}
