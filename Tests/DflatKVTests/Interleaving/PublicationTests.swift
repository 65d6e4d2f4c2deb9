import DflatSQLite
import TestSupport
import Testing

@testable import DflatCore
@testable import DflatKV

/// The publication of committed changes to the dictionary's readers.
@Suite struct PublicationTests {
  @Test("A1: Plain reads see all keys of a transaction change at once") func atOnce() throws {
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let keys = (0..<200).map { "key\($0)" }.sorted { shard(of: $0) < shard(of: $1) }
    func raise(to number: Int) throws {
      try test.workspace.transactAndWait { transaction in for key in keys { transaction.dictionary[key] = number } }
    }
    try raise(to: 0)
    let isOver = Gate("the end")
    // If shards were published one by one, in their order, the first key's shard would move long before the last one's.
    let reader = BackgroundThread {
      var (reads, torn) = (0, 0)
      while !isOver.opened {
        let first = test.dictionary[keys[0], default: -1]
        let last = test.dictionary[keys[199], default: -1]
        reads += 1
        if last < first { torn += 1 }
      }
      return (reads: reads, torn: torn)
    }
    for number in 1...500 { try raise(to: number) }
    isOver.open()
    let outcome = try reader.join()
    #expect(outcome.torn == 0, "\(outcome.torn) of \(outcome.reads) reads are torn")
  }

  private func shard(of key: String) -> UInt32 { HashedKey(key, namespace: 0).hash >> 28 }

  @Test("A8: A damaged change record before good ones leaves no older value in the cache") func damagedRecord() throws {
    // reader:  has a view at N + 2 ─ stops                                          ─ loads k from it
    // other:                              N + 3: k = 2
    // poll:                                              damage at N + 1: drops the cache, publishes N + 3
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    let other = try test.another { $0.followsOtherProcesses = false }
    other.dictionary["k"] = 1
    try other.dictionary.synchronize()
    try test.core.checkForCommits()
    Failpoint.beforeCommit.arm(in: other.core) {
      do {
        try other.core.pipeline.writer.group?.connection.execute(
          "UPDATE dflat_log SET changes = x'0101FF' WHERE commit_number = (SELECT max(commit_number) FROM dflat_log)")
      } catch { Issue.record(error) }
    }
    try other.workspace.transactAndWait { $0.dictionary["damaged"] = 1 }
    Failpoint.beforeCommit.arm(in: other.core, nil)
    try other.workspace.transactAndWait { $0.dictionary["good"] = 1 }
    let stop = Stop(at: .renewedView, in: test)
    let reader = BackgroundThread { test.dictionary["k", Int.self] }
    try stop.wait()
    try other.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    try test.core.checkForCommits()
    stop.resume()
    _ = try reader.join()
    #expect(test.dictionary["k"] == 2)
  }

  @Test("A4: A late view of an older file that replaced this one doesn't take the caches back again")
  func lateViewOfReplacedFile() throws {
    // file:     k = 1 is commit 1 ─ commits up to 3 ─ an older file with commit 1 again
    // reader:                                               renews its view ─ stops            ─ follows it: nothing
    // writer:                                                              follows it, sets k = 2, which is commit 2
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    for value in [1, 0, 1] { try test.workspace.transactAndWait { $0.dictionary["k"] = value } }
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("DELETE FROM dflat_log WHERE commit_number > 1; UPDATE dictionary SET commit_number = 1")
    connection.close()
    let stop = Stop(at: .renewedView, in: test)
    let reader = BackgroundThread { try test.core.checkForCommits() }
    try stop.wait()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    defer { subscription.cancel() }
    stop.resume()
    try reader.join()
    #expect(test.core.publication.published == 2)
    try test.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.settle()
    #expect(log.events == [.initial(2), .updated(3)])
  }

  @Test("A4: A late view of a file that was replaced isn't replayed into the older one that replaced it")
  func lateViewOfNewerFile() throws {
    // file:     k = 1, 20, 30 are commits 1 to 3 ─ an older file with commit 1 again
    // reader:   renews its view at 3 ─ stops                                              ─ follows the view: nothing
    // writer:                                             follows the older file, sets k = 2, which is commit 2
    let test = try TestWorkspace { $0.followsOtherProcesses = false }
    for value in [1, 20, 30] { try test.workspace.transactAndWait { $0.dictionary["k"] = value } }
    let log = EventLog<SubscribedDictionaryValue<Int>>()
    let subscription = test.dictionary.subscribe("k", of: Int.self) { log.append($0) }
    defer { subscription.cancel() }
    let stop = Stop(at: .renewedView, in: test)
    let reader = BackgroundThread { try test.core.checkForCommits() }
    try stop.wait()
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute(
      "DELETE FROM dflat_log WHERE commit_number > 1; UPDATE dictionary SET value = 1, commit_number = 1")
    connection.close()
    try test.workspace.transactAndWait { $0.dictionary["k"] = 2 }
    stop.resume()
    try reader.join()
    try test.settle()
    #expect(test.core.publication.published == 2)
    #expect(log.events == [.initial(30), .updated(1), .updated(2)])
    let other = try test.another { $0.followsOtherProcesses = false }
    try other.workspace.transactAndWait { $0.dictionary["k"] = 3 }
    try test.core.checkForCommits()
    try test.settle()
    #expect(log.events.last == .updated(3))
    #expect(test.dictionary["k"] == 3)
  }
}
