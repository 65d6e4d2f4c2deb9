import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatCore

/// What a closure reads before it has the baton is of one commit, and what another process changes after it is a conflict.
@Suite struct EarlyViewTests {
  private let bench: EntityBench
  private let post: Post
  private var workspace: SQLiteWorkspace { bench.workspace }

  init() throws {
    bench = try EntityBench()
    post = try bench.workspace.insert(Post(title: "a", priority: 1))[0]
  }

  ///     closure:  reads 1 ── its connection breaks ──┐                  ┌─ reads again: a conflict, and not 2
  ///     other:                                       └─ sets 2, commits ┘
  @Test func aViewThatBreaksIsNotReplacedByALaterOne() throws {
    let other = try bench.other()
    defer { other.shutdown() }
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn throws in
      attempts += 1
      let before = try #require(try txn.query(for: Post.self).first())
      if attempts == 1 {
        #expect(throws: Refusal.self) { try txn.read { _, _ in throw Refusal() } }
        try other.transactAndWait([Post.self]) { txn in _ = try txn.update(post) { $0.priority = 2 } }
      }
      let request = PostChangeRequest.changeRequest(post)
      request.tag = "\(before.priority) and \(request.priority)"
      txn.try(submit: request)
    }
    #expect(attempts == 2)
    #expect(try bench.stored(Post.self) == [Post(title: "a", tag: "2 and 2", priority: 2)])
  }

  @Test func aViewThatBreaksIsReplacedWhereNothingThatWasDeclaredChanged() throws {
    let other = try bench.other()
    defer { other.shutdown() }
    try workspace.transactAndWait([Post.self]) { txn throws in
      #expect(throws: Refusal.self) { try txn.read { _, _ in throw Refusal() } }
      try other.insert(Member(number: 1))
      #expect(try txn.query(for: Post.self).count() == 1)
      try txn.update(post) { $0.priority += 1 }
    }
    #expect(try bench.stored(Post.self).map(\.priority) == [2])
  }

  @Test("An older file in the place of this one is no conflict for those who read it alone")
  func anOlderFile() throws {
    let other = try bench.other()
    try other.insert(Post(title: "b"))
    try other.insert(Post(title: "c"))
    other.shutdown()
    #expect(try workspace.query(for: Post.self).count() == 3)
    let connection = try Connection(path: bench.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("DELETE FROM dflat_log WHERE commit_number > 1")
    connection.close()
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn throws in
      attempts += 1
      #expect(try txn.query(for: Post.self).count() == 3)
      try txn.update(post) { $0.priority = 5 }
    }
    #expect(attempts == 1)
    #expect(try bench.stored(Post.self).map(\.priority) == [5, 0, 0])
  }
}
