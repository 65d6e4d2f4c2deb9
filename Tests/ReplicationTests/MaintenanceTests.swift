import DflatKV
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

/// Maintenance of a replica's file, errors of its disk, and groups that can't be recorded.
@Suite struct MaintenanceTests {
  private typealias Article = Golden.Search.Article
  private let replicas: Replicas
  private let one: SQLiteWorkspace
  private let other: SQLiteWorkspace

  init() throws {
    replicas = try Replicas()
    one = try replicas.open("one")
    other = try replicas.open("other") { options, _ in options.busyTimeout = .milliseconds(1) }
    try one.transactAndWait([Article.self]) { txn in
      for id in 0..<50 {
        txn.dictionary["k\(id)"] = String(repeating: "x", count: id * 100)
        try txn.insert(Article(id: Int32(id), title: "fox \(id)", tag: "t\(id % 3)"))
      }
    }
    try other.replication?.catchUp()
  }

  @Test("A replica is compacted and backed up like any file, and nothing of that travels")
  func compacting() throws {
    try one.transactAndWait { $0.dictionary.removeAll(withPrefix: "k") }
    let head = replicas.cluster.head
    try one.compact()
    try one.backup(to: replicas.path("backup"))
    #expect(replicas.cluster.head == head)
    try other.transactAndWait([Article.self]) { try $0.insert(Article(id: 77, title: "hare")) }
    #expect(try one.transactAndWait([Article.self]) { _ in one.fetch(for: Article.self).all().count } == 51)
    #expect(try replicas.differences() == [])
    // The backup is a member, too, which follows.
    #expect(try replicas.open("backup").commitNumber == replicas.cluster.head)
    #expect(try replicas.differences() == [])
  }

  @Test("A sound replica has nothing to reindex; a damaged one is refused, and left unchanged")
  func reindexing() throws {
    let head = replicas.cluster.head
    #expect(try one.reindex([Article.self]) == [])
    replicas.close(one)
    try RawDatabase.execute(
      "UPDATE dflat_entity SET last_rowid = 3 WHERE name LIKE '%article'", on: replicas.path("one"))
    let damaged = try replicas.open("one")
    #expect(try damaged.checkIntegrity([Article.self]) != [])
    do {
      let repairs = try damaged.reindex([Article.self])
      Issue.record("\(repairs)")
    } catch let error as WorkspaceError { #expect(error.code == .corrupt) }
    #expect(replicas.cluster.head == head)
    // The other machine goes on.
    try other.transactAndWait { $0.dictionary["k"] = 1 }
    #expect(try other.checkIntegrity([Article.self]) == [])
    replicas.close(damaged)
    #expect(try replicas.differences() == [])
  }

  @Test("A replica whose file is locked by another process follows again once it is free")
  func busy() throws {
    let lock = try RawDatabase(replicas.path("other"))
    try lock.execute("BEGIN IMMEDIATE")
    try one.transactAndWait { $0.dictionary["k"] = 1 }
    let stream = EventLog<Int?>()
    let subscription = other.dictionary.subscribe("k", of: Int.self) {
      if case .updated(let value) = $0 { stream.append(value) }
    }
    // Fails at once, and so does the follower.
    #expect(throws: WorkspaceError.self) { try other.replication?.catchUp() }
    try lock.execute("ROLLBACK")
    try one.transactAndWait { $0.dictionary["k"] = 2 }
    try stream.wait { $0.last == 2 }
    #expect(other.replication?.status.phase != .stopped)
    #expect(try replicas.differences() == [])
    withExtendedLifetime(subscription) {}
  }

  @Test("A1: A member that is undone after it was the first to use a type, with its indexes, leaves the others alone")
  func undoneFirstUse() throws {
    let (begun, goOn) = (Gate("the first member has begun"), Gate("the second member waits"))
    let outcomes = EventLog<Bool>()
    one.performChanges(
      [],
      changesHandler: { txn in
        txn.dictionary["k"] = 1
        begun.open()
        try? goOn.wait()
      }, completionHandler: { outcomes.append($0) })
    try begun.wait()
    one.performChanges(
      [Article.self],
      changesHandler: { txn in
        _ = try? txn.insert(Article(id: 1, title: "fox", tag: "t"))
        txn.abort()
      }, completionHandler: { outcomes.append($0) })
    while !one.core.pipeline.hasWriteTokenWaiters { Threads.sleep(microseconds: 100) }
    goOn.open()
    #expect(try outcomes.wait(forCount: 2) == [true, false])
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }

  @Test("A5: Plain writes of a group that can't be recorded, because a member was undone, are in the next one")
  func undoneMember() throws {
    struct Undone: Error {}
    one.dictionary["plain"] = 1
    #expect(throws: Undone.self) {
      try one.core.performAndWait([]) { transaction in
        let group = try transaction.joinedGroup()
        try group.connection.changeSchema("DROP TABLE IF EXISTS golden__search__article__stars")
        throw Undone()
      }
    }
    while (try? one.dictionary.synchronize()) == nil {}
    try other.replication?.catchUp()
    #expect(other.dictionary["plain", Int.self] == 1)
    #expect(replicas.errors.events.isEmpty)
    #expect(try replicas.differences() == [])
  }
}
