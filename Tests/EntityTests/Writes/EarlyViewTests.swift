import DflatSQLite
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Reads of a closure before it has the write token. They show one commit, and later changes by another process are a
/// conflict.
@Suite struct EarlyViewTests {
  private let test: TestWorkspace
  private let post: Post
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    post = try test.workspace.insert(Post(title: "a", priority: 1))[0]
  }

  ///     closure:  reads 1 ── a query throws ──┐                  ┌─ reads 1 again, takes the token: a conflict
  ///     other:                                └─ sets 2, commits ┘
  @Test("A closure keeps its view after a read that failed for a reason other than the file")
  func anErrorThatIsNotTheFilesKeepsTheView() throws {
    let other = try TestWorkspace.open(test.path)
    defer { other.shutdown() }
    var seen: [[Int32]] = []
    try workspace.transactAndWait([Post.self]) { txn throws in
      let before = try #require(try txn.query(for: Post.self).first())
      if seen.isEmpty {
        #expect(throws: Refusal.self) { try txn.read { _, _ in throw Refusal() } }
        try other.transactAndWait([Post.self]) { txn in _ = try txn.update(post) { $0.priority = 2 } }
      }
      let request = PostChangeRequest.changeRequest(post)
      seen.append([before.priority, request.priority])
      request.tag = "mine"
      txn.try(submit: request)
    }
    #expect(seen == [[1, 1], [2, 2]])
    #expect(try test.stored(Post.self) == [Post(title: "a", tag: "mine", priority: 2)])
  }

  @Test("A transaction that first reads after an older file has replaced this one has no conflict")
  func anOlderFile() throws {
    let other = try TestWorkspace.open(test.path)
    try other.insert(Post(title: "b"))
    try other.insert(Post(title: "c"))
    other.shutdown()
    #expect(try workspace.query(for: Post.self).count() == 3)
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    try connection.execute("DELETE FROM dflat_log WHERE commit_number > 1")
    connection.close()
    var attempts = 0
    try workspace.transactAndWait([Post.self]) { txn throws in
      attempts += 1
      #expect(try txn.query(for: Post.self).count() == 3)
      try txn.update(post) { $0.priority = 5 }
    }
    #expect(attempts == 1)
    #expect(try test.stored(Post.self).map(\.priority) == [5, 0, 0])
  }

  ///     closure:  reads 3 posts ──┐                     ┌─ takes the token: a conflict ── reads 1, as in the file now
  ///     file:                     └─ an older one again ┘
  @Test("A3: An older file that replaces the one that was read is a conflict", arguments: [true, false])
  func anOlderFileAfterReading(takesWriteTokenByKey: Bool) throws {
    try workspace.insert(Post(title: "b"))
    try workspace.insert(Post(title: "c"))
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(30))
    var seen: [Int] = []
    try workspace.transactAndWait([Post.self, Member.self]) { txn throws in
      seen.append(try txn.query(for: Post.self).count())
      if seen.count == 1 {
        try connection.execute(
          """
          BEGIN; DELETE FROM post WHERE rowid > 1; DELETE FROM post__f10; DELETE FROM dflat_log WHERE commit_number > 1;
          COMMIT
          """)
      }
      if takesWriteTokenByKey { txn.dictionary["count"] = seen.last }
      try txn.insert(Member(number: UInt64(seen.count)))
    }
    #expect(seen == [3, 1])
  }
}
