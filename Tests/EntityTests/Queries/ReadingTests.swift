import DflatEntities
import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import Testing
import TestSupport

private typealias BenchDoc = Golden.Bench.BenchDoc

/// Queries in closures, snapshots and transactions, and their failures.
@Suite struct QueryReadingTests {
  private let test: TestWorkspace
  private var workspace: SQLiteWorkspace { test.workspace }

  init() throws {
    test = try TestWorkspace()
    try workspace.transactAndWait([Post.self]) { txn in
      for number in 1...5 { try txn.insert(Post(title: "post \(number)", priority: Int32(number))) }
      txn.dictionary["count"] = 5
    }
  }

  @Test("A4: A fetch of committed objects in a closure has the commit number of their commit")
  func committedInAClosure() throws {
    try workspace.transactAndWait([Post.self]) { txn in
      let inserted = try txn.insert(Post(title: "mine"))
      let committed = workspace.query(for: Post.self).fetchCommitted()
      #expect(committed.count == 5 && committed.commitNumber == 1)
      #expect(committed.allSatisfy { $0._changesTimestamp == 1 } && inserted._changesTimestamp == 2)
    }
  }

  private func insert(_ title: String) throws {
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: title))
      txn.dictionary["count"] = (txn.dictionary["count", Int.self] ?? 0) + 1
    }
  }

  @Test("A snapshot shows entities and keys of one commit")
  func snapshot() throws {
    try workspace.fetchWithinASnapshot {
      let commitNumber = workspace.fetch(for: Post.self).all().commitNumber
      let done = Gate("inserted")
      Thread.detachNewThread {
        try? insert("in between")
        done.open()
      }
      try done.wait()
      let posts = workspace.fetch(for: Post.self).all()
      #expect(posts.count == 5)
      #expect(workspace.dictionary["count", Int.self] == 5)
      #expect(posts.commitNumber == commitNumber)
      #expect(posts.allSatisfy { $0._changesTimestamp == commitNumber })
      #expect(workspace.fetch(for: Post.self).where(Post.title == "in between").isEmpty)
      #expect(workspace.commitNumber == UInt64(commitNumber))
    }
    #expect(workspace.fetch(for: Post.self).all().count == 6)
  }

  @Test("Only queries in a transaction see its uncommitted objects")
  func transaction() throws {
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "mine", priority: 9))
      #expect(txn.fetch(for: Post.self).where(Post.title == "mine").count == 1)
      #expect(workspace.fetch(for: Post.self).where(Post.priority == 9).count == 1)
      #expect(try txn.query(for: Post.self).count() == 6)
      let done = Gate("other thread")
      Thread.detachNewThread {
        #expect(workspace.fetch(for: Post.self).all().count == 5)
        done.open()
      }
      try done.wait()
    }
  }

  @Test("Queries of undeclared types in a transaction are refused")
  func undeclaredTypesAreRefused() throws {
    try workspace.transactAndWait([BenchDoc.self]) { txn in
      #expect(throws: WorkspaceError.self) { try txn.query(for: Post.self).fetch() }
      let error = try #require(throws: WorkspaceError.self) { try workspace.query(for: Post.self).count() }
      #expect(error.code == .undeclaredType)
      #expect(workspace.fetch(for: Post.self).all().isEmpty)
    }
  }

  @Test("A transaction's query throws after its closure has ended")
  func outside() throws {
    var query: Query<Post>?
    try workspace.transactAndWait([Post.self]) { txn in query = txn.query(for: Post.self) }
    let error = try #require(throws: WorkspaceError.self) { try query?.fetch() }
    #expect(error.code == .aborted)
    // A transaction's memory is used again after it is over.
    for _ in 0..<20 {
      try workspace.transactAndWait([Post.self]) { _ in
        _ = #expect(throws: WorkspaceError.self) { try query?.fetch() }
      }
    }
  }

  @Test("A type without a table, or without a file, has no objects")
  func noTable() throws {
    #expect(try workspace.query(for: BenchDoc.self).where(BenchDoc.title == "x").fetch().isEmpty)
    #expect(try workspace.query(for: BenchDoc.self).count() == 0)
    #expect(try !workspace.query(for: BenchDoc.self).exists())
    #expect(try workspace.query(for: BenchDoc.self).where(BenchDoc.priority > 3).explain().sqlitePlans == [[]])
    let directory = try TemporaryDirectory()
    let none = SQLiteWorkspace(filePath: directory.file(), fileProtectionLevel: .noProtection)
    #expect(try none.query(for: Post.self).fetch().isEmpty)
    #expect(try none.query(for: Post.self).where(Post.title == "x").explain().indexes == ["title"])
    none.shutdown()
  }

  @Test(
    "A damaged row is left out and reported to the error handler once",
    arguments: ["x'00'", "x''", "zeroblob(200)", "'text'"])
  func damage(payload: String) throws {
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
    try connection.execute("UPDATE post SET payload = \(payload) WHERE rowid = 3")
    connection.close()
    let posts = workspace.query(for: Post.self)
    for query in [posts, posts.where(Post.tag == nil), posts.orderBy(Post.color.ascending)] {
      #expect(try query.fetch().map(\._rowid) == [1, 2, 4, 5])
    }
    #expect(try posts.where(Post.title == "post 3").fetch().isEmpty)
    #expect(try posts.select(Post.tag).count == 4)
    #expect(try posts.limit(3).fetch().count == 3)
    #expect(workspace.fetch(for: Post.self).all().count == 4)
    let reports = try test.errors.wait(forCount: 1)
    #expect(reports.map(\.code) == [.undecodable])
    #expect(reports.first?.message.contains("Row 3 of 'post'") == true)
  }

  @Test("Queries after shutdown throw or give nothing")
  func afterShutdown() throws {
    let posts = workspace.query(for: Post.self)
    workspace.shutdown()
    let error = try #require(throws: WorkspaceError.self) { try posts.fetch() }
    #expect(error.code == .shutdown)
    #expect(workspace.fetch(for: Post.self).all().isEmpty)
  }

  @Test("A query builder can be run any number of times")
  func builders() {
    let builder = workspace.fetch(for: Post.self)
    _ = workspace.fetch(for: Post.self)
    #expect(builder.all() == builder.all())
    #expect(builder.where(Post.priority > 3).map(\.priority) == [4, 5])
    #expect(builder.where(Post.priority < 3).map(\.priority) == [1, 2])
  }

  @Test("A query can compare a field with many values", arguments: [1, 1000, 100_000])
  func manyValues(count: Int) throws {
    let titles = (0..<count).map { "post \($0)" }
    let found = try workspace.query(for: Post.self).where(Post.title.in(titles)).fetch()
    #expect(found.count == min(count - 1, 5))
    let priorities = (0..<Int32(count)).map { $0 * 2 }
    #expect(try workspace.query(for: Post.self).where(Post.priority.in(priorities)).count() == (count == 1 ? 0 : 2))
    #expect(try workspace.query(for: Post.self).where(Post.title.notIn(titles)).count() == 5 - found.count)
  }

  @Test("Single fields are read without the rest")
  func projections() throws {
    let rows = try workspace.query(for: Post.self).orderBy(Post.priority.descending).limit(2).select(
      Post.title, Post.priority, Post.tag, Post.color)
    #expect(rows.map(\.0) == ["post 5", "post 4"])
    #expect(rows.map(\.1) == [5, 4])
    #expect(rows.allSatisfy { $0.2 == nil && $0.3 == .red })
    let titles: [String?] = try workspace.query(for: Post.self).where(Post.priority < 3).select(Post.title)
    #expect(titles == ["post 1", "post 2"])
  }

  @Test("A result is a collection, and equals another one with the same objects")
  func resultsAreCollections() throws {
    let posts = workspace.fetch(for: Post.self).all()
    #expect(posts.indices == 0..<5)
    #expect(posts[1...2].map(\.title) == ["post 2", "post 3"])
    #expect(posts.last?.title == "post 5")
    #expect(posts == FetchedResult(posts.underlyingArray))
    #expect(posts.reversed().first?.title == "post 5")
    #expect(FetchedResult<Post>([]).commitNumber == -1)
  }
}
