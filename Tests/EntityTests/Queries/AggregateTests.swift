import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Sums, averages, extremes and counts.
@Suite struct AggregateTests {
  @Test(
    "Aggregates with complete, partial and no indexes equal those of plain Swift", arguments: [1, 2, 3] as [UInt64])
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try QueryModelTests.file(&generator)
    let workspaces = try SampleFile.Indexes.allCases.map { ($0, try file.open($0)) }
    defer { for (_, workspace) in workspaces { workspace.shutdown() } }
    for number in 0..<40 {
      let query = ModelQuery(&generator)
      var found = query.result(file.samples)
      // Without limit and offset the order doesn't matter.
      if query.limit == nil, query.offset == 0 { found.sort { $0._rowid < $1._rowid } }
      let models =
        number == 0 ? AggregateModel.all : (0..<3).map { _ in RandomSamples.pick(AggregateModel.all, &generator) }
      for (indexes, workspace) in workspaces {
        for model in models { try model.check(query.query(in: workspace), found, "\(query.text), \(indexes), \(seed)") }
      }
    }
    for (indexes, workspace) in workspaces {
      for model in AggregateModel.all {
        try model.check(workspace.query(for: Sample.self), file.samples, "all, \(indexes)")
      }
    }
  }

  @Test("Sums of the largest integers don't overflow")
  func largeSums() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Sample.self]) { txn in
      for number in 0..<3 {
        try txn.insert(Sample(id: "\(number)", large: number == 0 ? .max : .min, unsignedLarge: .max))
      }
    }
    let samples = test.workspace.query(for: Sample.self)
    #expect(try samples.sum(of: Sample.large) == Int128(Int64.max) + 2 * Int128(Int64.min))
    #expect(try samples.sum(of: Sample.unsignedLarge) == 3 * Int128(UInt64.max))
    #expect(try samples.average(of: Sample.unsignedLarge) == Double(UInt64.max))
    #expect(try samples.where(Sample.large < 0).average(of: Sample.large) == Double(Int64.min))
  }

  @Test("NaN is neither smallest nor largest, and makes a sum NaN")
  func notANumber() throws {
    let test = try TestWorkspace()
    let values: [Double] = [1, .nan, -.infinity, 2.5]
    try test.workspace.transactAndWait([Sample.self]) { txn in
      for (number, value) in values.enumerated() { try txn.insert(Sample(id: "\(number)", precise: value)) }
    }
    let samples = test.workspace.query(for: Sample.self)
    #expect(try samples.min(of: Sample.precise) == -.infinity)
    #expect(try samples.max(of: Sample.precise) == 2.5)
    #expect(try samples.sum(of: Sample.precise).isNaN)
    #expect(try samples.average(of: Sample.precise)?.isNaN == true)
    let nan = samples.where(Sample.id == "1")
    #expect(try nan.min(of: Sample.precise) == nil && nan.max(of: Sample.precise) == nil)
    #expect(try nan.count(distinct: Sample.precise) == 1)
    #expect(try samples.where(Sample.id != "1").sum(of: Sample.precise) == -.infinity)
    let counts = try samples.counts(by: Sample.precise)
    #expect(counts.map { $0.count } == [1, 1, 1, 1] && counts.last?.value?.isNaN == true)
  }

  @Test("Two spellings of a text are two values, and null is none")
  func spellings() throws {
    let test = try TestWorkspace()
    let tags = ["\u{e9}", "e\u{301}", nil, "", "\u{e9}", "\u{e9}\0"]
    try test.workspace.transactAndWait([Post.self]) { txn in
      for (number, tag) in tags.enumerated() { try txn.insert(Post(title: "\(number)", tag: tag)) }
    }
    let posts = test.workspace.query(for: Post.self)
    #expect(try posts.count(distinct: Post.tag) == 4)
    let counts = try posts.counts(by: Post.tag)
    #expect(
      counts.map { $0.value.map { Array($0.utf8) } } == [nil, [], [0x65, 0xCC, 0x81], [0xC3, 0xA9], [0xC3, 0xA9, 0]])
    #expect(counts.map { $0.count } == [1, 1, 1, 2, 1])
    #expect(try posts.min(of: Post.tag).map { Array($0.utf8) } == [])
    #expect(try posts.max(of: Post.tag).map { Array($0.utf8) } == [0xC3, 0xA9, 0])
  }

  @Test("Without objects there is no extreme and no average, and sums and counts are 0")
  func none() throws {
    let directory = try TemporaryDirectory()
    let missing = SQLiteWorkspace(filePath: directory.file(), fileProtectionLevel: .noProtection)
    defer { missing.shutdown() }
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1])
    for posts in [
      missing.query(for: Post.self), test.workspace.query(for: Post.self).where(Post.priority > 1),
      test.workspace.query(for: Post.self).limit(0), test.workspace.query(for: Post.self).offset(1),
    ] {
      #expect(try posts.min(of: Post.priority) == nil && posts.max(of: Post.title) == nil)
      #expect(try posts.sum(of: Post.priority) == 0 && posts.average(of: Post.priority) == nil)
      #expect(try posts.count(distinct: Post.priority) == 0 && posts.counts(by: Post.priority).isEmpty)
    }
    #expect(try test.workspace.query(for: Sample.self).sum(of: Sample.real) == 0, "a type without a table")
  }

  @Test("A damaged object is left out of aggregates, and reported once")
  func damage() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Post.self]) { txn in
      for (number, priority) in [1, 2, 40, 3].enumerated() {
        try txn.insert(Post(title: "\(number)", tag: "\(priority)", priority: Int32(priority)))
      }
    }
    let connection = try Connection(path: test.path, mode: .readWrite, busyTimeout: .seconds(5))
    try connection.execute("UPDATE post SET payload = x'0102' WHERE rowid = 3")
    connection.close()
    let posts = test.workspace.query(for: Post.self)
    // By the index, which still has the object's value, and without one.
    #expect(try posts.max(of: Post.priority) == 3 && posts.min(of: Post.priority) == 1)
    #expect(try posts.max(of: Post.tag) == "3" && posts.min(of: Post.tag) == "1")
    #expect(try posts.sum(of: Post.priority) == 6 && posts.average(of: Post.priority) == 2)
    #expect(try posts.count(distinct: Post.priority) == 3)
    #expect(try posts.counts(by: Post.priority).map { $0.value } == [1, 2, 3])
    #expect(try posts.orderBy(Post.priority.descending).limit(2).sum(of: Post.priority) == 5)
    #expect(try test.errors.wait(forCount: 1).map(\.code) == [.undecodable])
  }

  @Test("Aggregates in a transaction see its objects, and those in a snapshot its commit")
  func views() throws {
    let test = try TestWorkspace()
    let workspace = test.workspace
    try workspace.insert(["a": 1, "b": 2])
    var query: Query<Post>?
    try workspace.transactAndWait([Post.self]) { txn in
      try txn.insert(Post(title: "c", priority: 10))
      let posts = txn.query(for: Post.self)
      #expect(try posts.sum(of: Post.priority) == 13 && posts.max(of: Post.priority) == 10)
      query = posts
    }
    let outside = try #require(throws: WorkspaceError.self) { try query?.sum(of: Post.priority) }
    #expect(outside.code == .aborted)
    try workspace.fetchWithinASnapshot {
      let done = Gate("inserted")
      Thread.detachNewThread {
        try? workspace.insert(["d": 100])
        done.open()
      }
      try done.wait()
      let posts = workspace.query(for: Post.self)
      #expect(try posts.max(of: Post.priority) == 10 && posts.average(of: Post.priority) == 13.0 / 3)
      #expect(try posts.count(distinct: Post.title) == 3)
    }
    #expect(try workspace.query(for: Post.self).max(of: Post.priority) == 100)
    try workspace.transactAndWait([Sample.self]) { txn in
      let error = try #require(throws: WorkspaceError.self) { try txn.query(for: Post.self).min(of: Post.title) }
      #expect(error.code == .undeclaredType)
    }
    workspace.shutdown()
    let closed = try #require(throws: WorkspaceError.self) {
      try workspace.query(for: Post.self).counts(by: Post.priority)
    }
    #expect(closed.code == .shutdown)
  }

  @Test("An aggregate of a limited query covers the objects that it returns")
  func limits() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1, "b": 2, "c": 4, "d": 8, "e": 16])
    let posts = test.workspace.query(for: Post.self).orderBy(Post.priority.descending)
    #expect(try posts.limit(2).sum(of: Post.priority) == 24 && posts.offset(3).sum(of: Post.priority) == 3)
    #expect(try posts.offset(1).limit(2).max(of: Post.priority) == 8 && posts.limit(2).min(of: Post.title) == "d")
    #expect(try posts.limit(3).count(distinct: Post.color) == 1 && posts.limit(3).counts(by: Post.color)[0].count == 3)
    #expect(try posts.limit(2).average(of: Post.priority) == 12)
  }

  @Test("An extreme of a field with an index reads one object")
  func readsOne() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1, "b": 2, "c": 2])
    let posts = test.workspace.query(for: Post.self)
    // The equivalents of `min` and `max`.
    for order in [Post.title.ascending, Post.title.descending] {
      let explanation = try posts.where(Post.title != nil).orderBy(order).limit(1).explain()
      #expect(explanation.indexes == ["title"] && explanation.stopsAtLimit && !explanation.isEvaluated)
    }
  }
}
