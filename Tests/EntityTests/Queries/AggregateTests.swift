import DflatKV
import DflatSQLite
import Foundation
import GoldenModels
import TestSupport
import Testing

@testable import DflatEntities

/// Sums, averages, extremes and counts.
@Suite struct AggregateTests {
  private typealias Monster = MyGame.Sample.Monster

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
        let live = query.query(in: workspace)
        for model in models {
          try model.check(live, found, "\(query.text), \(indexes), \(seed)")
          guard indexes == .complete else { continue }
          try model.check(live.assumingSize(1), found, "\(query.text), in order, \(seed)")
        }
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

  @Test("An extreme of a field with an index, or of the first field of the primary key, reads one object")
  func readsOne() throws {
    let test = try TestWorkspace()
    try test.workspace.insert(["a": 1, "b": 2, "c": 2])
    try test.workspace.transactAndWait([Monster.self]) { txn in
      for (number, color) in [MyGame.Sample.Color.red, .green, .blue].enumerated() {
        try txn.insert(Monster(name: "a", color: color, hp: Int16(number)))
        try txn.insert(Monster(name: "b", color: color, hp: Int16(number)))
      }
    }
    let posts = test.workspace.query(for: Post.self)
    let monsters = test.workspace.query(for: Monster.self)
    try test.workspace.fetchWithinASnapshot {
      let loads = try [
        posts.loads { () throws in #expect(try posts.min(of: Post.title) == "a") },
        posts.loads { () throws in #expect(try posts.max(of: Post.title) == "c") },
        posts.loads { () throws in #expect(try posts.min(of: Post.priority) == 1) },
        posts.loads { () throws in #expect(try posts.max(of: Post.priority) == 2) },
        monsters.loads { () throws in #expect(try monsters.min(of: Monster.name) == "a") },
        monsters.loads { () throws in #expect(try monsters.max(of: Monster.name) == "b") },
      ]
      #expect(loads == [1, 1, 1, 1, 1, 1])
      // The first two objects in the order don't match.
      let first = posts.where(Post.title.contains("a"))
      let more = try posts.loads { () throws in #expect(try first.max(of: Post.priority) == 1) }
      #expect(more == 3)
    }
  }

  @Test("An extreme whose objects are at the end of the order is found by the predicate's index")
  func farExtreme() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Post.self]) { txn in
      for number in 0..<2_000 {
        try txn.insert(Post(title: "\(10_000 + number)", priority: number < 1_900 ? 0 : 1))
      }
    }
    let posts = test.workspace.query(for: Post.self)
    let late = posts.where(Post.priority >= 1)
    try test.workspace.fetchWithinASnapshot {
      let loads = try posts.loads { () throws in #expect(try late.min(of: Post.title) == "11900") }
      #expect(loads > 100 && loads < 400, "a few times as many as the 100 matches")
      let near = try posts.loads { () throws in #expect(try late.max(of: Post.title) == "11999") }
      #expect(near == 1)
    }
  }

  @Test("Aggregates of sorted queries with an offset cover the objects that they return")
  func offsets() throws {
    let test = try TestWorkspace()
    try test.workspace.transactAndWait([Post.self]) { txn in
      for (number, tag) in ["d", "a", "c", "b"].enumerated() {
        try txn.insert(Post(title: "\(number)", tag: tag, priority: 1 << Int32(number)))
      }
    }
    // No index has this order.
    let posts = test.workspace.query(for: Post.self).orderBy(Post.tag.ascending)
    #expect(try posts.offset(1).sum(of: Post.priority) == 13 && posts.offset(2).max(of: Post.priority) == 4)
    #expect(try posts.offset(1).limit(2).sum(of: Post.priority) == 12 && posts.limit(1).sum(of: Post.priority) == 2)
    #expect(try posts.offset(.max).limit(.max).sum(of: Post.priority) == 0)
    #expect(try posts.offset(4).average(of: Post.priority) == nil && posts.limit(0).sum(of: Post.priority) == 0)
  }
}
